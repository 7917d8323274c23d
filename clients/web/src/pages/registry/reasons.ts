import type { components } from '@agent-fleet/sdk';

type FaultCode = components['schemas']['RegistryFault']['code'];
type WarningCode = components['schemas']['WarningCount']['code'];
type RejectionCode = components['schemas']['RejectedRecord']['code'];

/** Why a source could not be read, or its files were refused. */
export const FAULTS: Record<FaultCode, string> = {
  timeout: 'No response in time',
  unreachable: 'Unreachable',
  http_status: 'Error response',
  rate_limited: 'Asks to wait',
  redirect: 'Redirects elsewhere',
  private_address: 'Private address',
  too_large: 'Too large',
  truncated: 'Response ended early',
  wrong_digest: 'Wrong digest',
  bad_manifest: 'Unusable manifest',
  unreadable_file: 'Unreadable file',
  build_failed: 'Could not be built',
  not_json: 'Not JSON',
  html: 'A web page, not JSON',
  unknown_shape: 'No list of skills',
  empty: 'No usable record',
  shrunk: 'Fewer than half of the skills',
  mostly_rejected: 'Over a fifth of the records unusable',
  wrong_count: 'Not as many records as announced',
};

/** The refusals that an operator can overrule. */
export const ACCEPTABLE: readonly string[] = ['empty', 'shrunk', 'mostly_rejected'] satisfies FaultCode[];

/** Why a record is not among the skills. */
export const REJECTIONS: Record<RejectionCode, string> = {
  not_an_object: 'Not an object',
  no_name_and_id: 'Neither a name nor an id',
  record_too_large: 'Over 1 MiB, or nested too deeply',
};

/** What was corrected in records, and how. */
export const CORRECTIONS: Record<WarningCode, [what: string, how: string]> = {
  id_missing: ['No id', 'made from repository and name'],
  id_doubled: ['The same id twice', 'a digest is appended'],
  name_missing: ['No name', 'the last part of the id'],
  description_missing: ['No description', 'left empty'],
  category_missing: ['No category', 'left empty'],
  tags_missing: ['No tags', 'left empty'],
  author_from_repository: ['No author', 'the owner of the repository'],
  text_cut: ['A text that is too long', 'cut'],
  tag_unusable: ['Unusable tags', 'left out'],
  field_unusable: ['A field of the wrong type, or too long', 'kept as extra'],
  path_unsafe: ['A path that leaves its folder', 'kept as extra'],
  url_unsafe: ['A URL other than http and https', 'kept as extra'],
  key_unsafe: ['Keys such as __proto__', 'left out'],
  extra_cut: ['Too many other fields', 'cut'],
  digest_unusable: ['A digest that is no SHA-256', 'kept as extra'],
  duplicate_merged: ['The same skill twice', 'merged into the first'],
  incomplete: ['Announced records that did not come', 'missing'],
};
