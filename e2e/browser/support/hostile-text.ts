/** Where a text came from: the beginning of the text itself. */
export const MARKERS = {
  message: 'task-message',
  input: 'task-input',
  result: 'task-result',
  error: 'task-error',
  log: 'log-text',
  tag: 'task-tag',
  progress: 'progress-message',
  agent: 'agent-name',
  definition: 'agent-definition',
  pause: 'pause-reason',
  worker: 'worker-id',
  key: 'key-name',
  email: 'e-mail-address',
  userAgent: 'user-agent',
  requestId: 'request-id',
  skill: 'skill-name',
  description: 'skill-description',
  file: 'skill-file',
  answer: 'agent-answer',
  question: 'agent-question',
  patch: 'patch-line',
  model: 'model-name',
  repository: 'repository-name',
  transcript: 'transcript-text',
  request: 'request-text',
} as const;

/** Sets a global variable of the page if a script of the text ever runs. */
const RUN = 'window.__pwned=1';
/** The shortest first: short fields have only these. */
const ATTACKS = [
  `<img src=x onerror=${RUN}>`,
  '\u202Egpj.exe\u202C',
  `<script>${RUN}</script>`,
  `[click](javascript:${RUN})`,
  `<svg/onload=${RUN}>`,
  `"><iframe srcdoc='<script>parent.${RUN}</script>'></iframe>`,
  '\u2067right to left\u2069 \u200F\u200B',
  'line\u2028paragraph\u2029end',
  '👩‍👩‍👧‍👦🏳️‍🌈',
  '{{constructor.constructor("alert(1)")()}} %00 &lt;b&gt; &#x202e;',
  `javascript:${RUN}`,
];
/** Most fields of people take them. */
const CONTROLS = '\u0007\u001b[31mred\u001b[0m\u0008\u009b2J\u007f';

/** Text of at most `maxCharacters` code points that is an attack and, where there is room, a word without an end. */
export function hostileText(marker: keyof typeof MARKERS, maxCharacters: number): string {
  let text = `${MARKERS[marker]} `;
  for (const attack of [...ATTACKS, CONTROLS]) {
    if (lengthOf(text) + lengthOf(attack) < maxCharacters) text += `${attack} `;
  }
  return text.trimEnd() + 'W'.repeat(Math.max(0, maxCharacters - lengthOf(text)));
}

/** Makes the texts of a seed: for most fields, for headers, and for e-mail addresses. */
export interface HostileTexts {
  text(marker: keyof typeof MARKERS, maxCharacters: number): string;
  token(marker: keyof typeof MARKERS): string;
  email(): string;
}

export const ATTACKING: HostileTexts = { text: hostileText, token: hostileToken, email: hostileEmail };

const WORD = 'W'.repeat(300);

/** Words of up to 300 characters without a blank. */
export const LONG_WORDS: HostileTexts = {
  text: (marker, maxCharacters) => `${MARKERS[marker]}${WORD}`.slice(0, maxCharacters),
  token: (marker) => `${MARKERS[marker]}${WORD}`,
  email: () => `${MARKERS.email}${'w'.repeat(200)}@e2e.example`,
};

/** For headers, which take visible ASCII only. */
function hostileToken(marker: keyof typeof MARKERS): string {
  return `${MARKERS[marker]}<svg/onload=${RUN}><img/src=x/onerror=${RUN}>"'&`;
}

/** Addresses take everything but blanks and control characters. */
function hostileEmail(): string {
  return `${MARKERS.email}\u202E<svg/onload=${RUN}>${'w'.repeat(100)}@e2e.example`;
}

function lengthOf(text: string): number {
  return [...text].length;
}
