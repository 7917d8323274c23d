import { createSkillIndex, type SkillIndex } from '../skills/skill-index.ts';
import { UpstreamError } from './errors.ts';

/**
 * The skills of a registry file.
 * @throws UpstreamError `empty`, `not_json`, `unknown_shape`
 */
export function parseRegistry(bytes: Buffer): SkillIndex {
  const text = new TextDecoder().decode(bytes);
  if (text.trim() === '') throw new UpstreamError('empty', 'The answer is empty');
  const index = createSkillIndex(parseJson(text));
  if (index === undefined) throw new UpstreamError('unknown_shape', 'The JSON holds no list of skills');
  return index;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const what = text.trimStart().startsWith('<') ? 'a web page, not JSON' : 'not valid JSON, or breaks off';
    throw new UpstreamError('not_json', `The answer is ${what}`, error);
  }
}
