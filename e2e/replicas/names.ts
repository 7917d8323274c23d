// Loaded into the gateway by `node --import`: a host name of the JSON file that `E2E_NAMES_FILE` names has the
// addresses that stand there at this moment, as Docker's DNS tells of containers that come and go.
import dns, { type LookupAddress, type LookupAllOptions } from 'node:dns';
import { readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

type Found = (error: Error | null, addresses: LookupAddress[]) => void;

const file = process.env.E2E_NAMES_FILE;
const { lookup } = dns;
const lookupPromise = dns.promises.lookup;

function addressesOf(hostname: string): LookupAddress[] | undefined {
  const names = JSON.parse(readFileSync(String(file), 'utf8')) as Record<string, string[]>;
  return names[hostname]?.map((address) => ({ address, family: 4 }));
}

/** What the gateway's sources ask. */
async function lookupAll(hostname: string, options: LookupAllOptions): Promise<LookupAddress[]> {
  return addressesOf(hostname) ?? (await lookupPromise(hostname, options));
}

/** What connections ask that go to a name: for all addresses, too. */
function lookupForConnection(hostname: string, options: LookupAllOptions, found: Found): void {
  const addresses = addressesOf(hostname);
  if (addresses) found(null, addresses);
  else lookup(hostname, options, found);
}

if (file !== undefined) {
  Object.assign(dns, { lookup: lookupForConnection });
  Object.assign(dns.promises, { lookup: lookupAll });
  syncBuiltinESMExports();
}
