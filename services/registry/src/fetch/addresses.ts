import { isIP, type LookupFunction } from 'node:net';
import { checkedLookup } from '@agent-fleet/shared/http/internal-addresses';
import { UpstreamError } from '../source/errors.ts';

/** The addresses seen for the host of one request. */
export interface AddressWatch {
  lookup: LookupFunction;
  sawInternal: boolean;
  refused?: UpstreamError;
}

/**
 * Checks the addresses of a request's host, from DNS or literal in the URL.
 * @throws UpstreamError `private_address` when the literal address in the URL is refused
 */
export function watchAddresses(
  target: URL,
  isInternal: (address: string) => boolean,
  mayBeInternal: boolean,
): AddressWatch {
  const watch: AddressWatch = { lookup: checkedLookup(see), sawInternal: false };
  function see(addresses: string[]): UpstreamError | undefined {
    watch.sawInternal = addresses.some(isInternal);
    if (watch.sawInternal && !mayBeInternal) {
      watch.refused = new UpstreamError('private_address', `${target.host} has an address of an internal network`);
    }
    return watch.refused;
  }
  const host = target.hostname.replace(/^\[|\]$/g, '');
  const refused = isIP(host) ? see([host]) : undefined;
  if (refused) throw refused;
  return watch;
}
