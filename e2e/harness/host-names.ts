// Loaded into the gateway by `node --import`: resolves the host names in the JSON of `E2E_HOST_NAMES` to these
// addresses.
import dns, { type LookupAddress, type LookupAllOptions } from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';

type Found = (error: Error | null, addresses: LookupAddress[]) => void;

const names = JSON.parse(process.env.E2E_HOST_NAMES ?? '{}') as Record<string, string[]>;
const { lookup } = dns;
const lookupPromise = dns.promises.lookup;
const addressesOf = (name: string) => names[name]?.map((address) => ({ address, family: 4 }));

async function lookupAll(name: string, options: LookupAllOptions): Promise<LookupAddress[]> {
  return addressesOf(name) ?? (await lookupPromise(name, options));
}

Object.assign(dns.promises, { lookup: lookupAll });
Object.assign(dns, {
  lookup(name: string, options: LookupAllOptions, found: Found) {
    const addresses = addressesOf(name);
    if (addresses) found(null, addresses);
    else lookup(name, options, found);
  },
});
syncBuiltinESMExports();
