/** The odd primes of RSALib's smallest primorial, which divides those of its longer keys. */
const PRIMES = [
  ...[3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107],
  ...[109, 113, 127, 131, 137, 139, 149, 151, 157, 163, 167],
];
const GENERATOR = 65_537;

/**
 * Whether an RSA modulus has the ROCA fingerprint (CVE-2017-15361): it is a power of 65537 modulo the product of these
 * primes. Every key of Infineon's RSALib is, and one of 2^154 others. The discrete logarithm is computed modulo each
 * prime (Pohlig-Hellman), and the results are compared modulo the common divisors of their orders (Chinese remainder
 * theorem). Source: Nemec, Sys, Svenda, Klinec, Matyas, "The Return of Coppersmith's Attack", CCS 2017.
 */
export function hasRocaFingerprint(modulus: bigint): boolean {
  const congruences: Congruence[] = [];
  for (const prime of PRIMES) {
    const found = toLogarithm(Number(modulus % BigInt(prime)), prime);
    if (!found || congruences.some((other) => !agree(found, other))) return false;
    congruences.push(found);
  }
  return true;
}

/** The exponents `logarithm + k · order`. */
interface Congruence {
  logarithm: number;
  order: number;
}

/** Undefined for a number that is not a power of the generator. */
function toLogarithm(residue: number, prime: number): Congruence | undefined {
  let logarithm: number | undefined;
  let order = 0;
  let power = 1;
  do {
    if (power === residue) logarithm = order;
    power = (power * GENERATOR) % prime;
    order++;
  } while (power !== 1);
  return logarithm === undefined ? undefined : { logarithm, order };
}

function agree(one: Congruence, other: Congruence): boolean {
  return (one.logarithm - other.logarithm) % greatestCommonDivisor(one.order, other.order) === 0;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
