import { lineDiff } from '../patch/line-diff.ts';
import type { Definition } from './definition.ts';
import { FIELDS, serverFields, toDraft } from './definition-fields.ts';

/** The fields of which two versions differ, by their names. */
export function changesOf(before: Definition, after: Definition) {
  const [old, now] = [textsOf(before), textsOf(after)];
  return [...new Set([...old.keys(), ...now.keys()])]
    .map((path) => ({ path, ...lineDiff(old.get(path) ?? '', now.get(path) ?? '') }))
    .filter(({ diff }) => diff !== '');
}

/** The fields that are set, as text. */
export function textsOf(definition: Definition): Map<string, string> {
  const draft = toDraft(definition);
  const servers = definition.mcp_servers.map(({ name, url }, at) => [
    `MCP server ${name}`,
    serverFields(at, url !== undefined)
      .slice(1)
      .map(({ path }) => draft[path])
      .filter(Boolean)
      .join('\n'),
  ]);
  const fields = FIELDS.map(({ path, label }) => [label, draft[path] ?? '']);
  const retries = definition.retry_policy ? JSON.stringify(definition.retry_policy, null, 2) : '';
  return new Map(
    [...fields, ...servers, ['Retry policy', retries]].filter((one): one is [string, string] => one[1] !== ''),
  );
}
