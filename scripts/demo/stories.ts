import type { Reply } from '../testing/model-server/model-api.ts';

/** A task of the demonstration, and what the model says to it: one reply for each result of a tool. */
export interface Story {
  /** Also the name of its agent. */
  agent: string;
  message: string;
  tags: readonly string[];
  skills?: readonly string[];
  hasRepository?: boolean;
  maxAttempts?: number;
  /** Cancelled while it runs. */
  isCancelled?: boolean;
  replies: readonly Reply[];
}

/** Agents and the types of workers that take their tasks; nobody works for the first. */
export const AGENTS: Readonly<Record<string, string>> = {
  'Night shift (demo)': 'demo-night',
  'Release writer (demo)': 'demo',
  'Bug fixer (demo)': 'demo',
  'Reviewer (demo)': 'demo',
};

const UPDATES = {
  description: 'Updates dependencies while nobody waits (a demonstration)',
  instructions: '# Updates\n\nOne dependency a commit.\n\n- Run the tests after each.\n- Change no code.\n',
  tags: ['update'],
};
const CAREFUL = UPDATES.instructions.replace('Change no code.', 'Change code only where a test asks for it.');

/** The versions of their definitions, oldest first. */
export const DEFINITIONS: Readonly<Record<string, readonly object[]>> = {
  'Night shift (demo)': [
    { ...UPDATES, note: 'First draft' },
    { ...UPDATES, instructions: CAREFUL, note: 'Breaking changes need code' },
    {
      ...UPDATES,
      instructions: `${CAREFUL}- Name what you have left out.\n`,
      limits: { max_cost: { amount: 2, currency: 'USD' }, max_attempts: 2 },
      max_concurrency: 1,
      note: 'At most $2 a task',
    },
  ],
};

const BASKET = `export function total(basket) {
  return basket.items.map(({ price, count }) => price * count).reduce((sum, price) => sum + price);
}
`;

/** The project that the agents work on, one commit after the other. */
export const COMMITS: readonly Record<string, string>[] = [
  { 'README.md': '# Tea shop\n\nA shop for a demonstration of Agent Fleet.\n', 'src/basket.js': BASKET },
  { 'src/greeting.js': "export const greeting = (name) => 'Welcome to the tea shop, ' + name;\n" },
];

const read = (path: string, text = `I read ${path}.`): Reply => ({
  ...{ text, tools: [{ name: 'read_file', args: { path } }], delayMs: 900 },
  usage: { input_tokens: 2_400, output_tokens: 60 },
});
const write = (path: string, content: string, text: string): Reply => ({
  ...{ text, tools: [{ name: 'write_file', args: { path, content } }], delayMs: 1_200 },
  usage: { input_tokens: 3_100, output_tokens: 420 },
});
const say = (text: string): Reply => ({
  ...{ text: `${text}\n\n_A demonstration: the model that says this is a script._`, delayMs: 600 },
  usage: { input_tokens: 3_600, output_tokens: 180 },
});

export const STORIES: readonly Story[] = [
  {
    agent: 'Release writer (demo)',
    message: 'Write the release notes of version 1.1',
    ...{ tags: ['demo', 'docs'], skills: ['write-release-notes'], hasRepository: true },
    replies: [
      read('~/.agents/skills/write-release-notes/SKILL.md', 'The task names a skill: I read it first.'),
      read('src/greeting.js'),
      write(
        'RELEASE_NOTES.md',
        '# Tea shop 1.1\n\n## New\n\n- Guests are greeted by their name.\n',
        'One change matters to users.',
      ),
      say('**Version 1.1** has one visible change:\n\n- Guests are greeted by their name.\n\nSee `RELEASE_NOTES.md`.'),
    ],
  },
  {
    agent: 'Bug fixer (demo)',
    message: 'The page of an empty basket crashes\n\nTypeError: Reduce of empty array with no initial value',
    ...{ tags: ['demo', 'bug'], hasRepository: true },
    replies: [
      read('src/basket.js'),
      write('src/basket.js', BASKET.replace('sum + price)', 'sum + price, 0)'), '`reduce` has no first value.'),
      say('Fixed: the total of an empty basket is `0`.\n\n```js\n.reduce((sum, price) => sum + price, 0)\n```'),
    ],
  },
  {
    agent: 'Reviewer (demo)',
    message: 'Review src/basket.js',
    ...{ tags: ['demo', 'review'], hasRepository: true },
    replies: [
      read('src/basket.js'),
      say(
        '| severity | line | finding |\n|---|---|---|\n| high | 2 | `reduce` throws for an empty basket |\n' +
          '| low | 1 | there is no test |',
      ),
    ],
  },
  {
    agent: 'Reviewer (demo)',
    message: 'Which of our three payment providers should go?',
    tags: ['demo'],
    replies: [
      {
        ...{ text: 'Two answers are possible.', delayMs: 900, usage: { input_tokens: 1_900, output_tokens: 140 } },
        tools: [
          {
            name: 'ask_person',
            args: { question: 'By which do I decide: by their fees, or by how often they fail? (a demonstration)' },
          },
        ],
      },
      say('Decided by what you said: the second of the three should go.'),
    ],
  },
  {
    agent: 'Release writer (demo)',
    message: 'Publish the release notes of version 1.1',
    ...{ tags: ['demo', 'docs'], hasRepository: true },
    replies: [
      // In the folder of the demonstration, but outside of the agent's: a person is asked.
      write(
        '../../../../website/1.1.md',
        '# Tea shop 1.1\n\nGuests are greeted by their name.\n',
        'The website is outside of my folder.',
      ),
      say('Without your permission, nothing is written there.'),
    ],
  },
  {
    agent: 'Release writer (demo)',
    message: 'Translate the README into Norwegian',
    ...{ tags: ['demo', 'docs'], maxAttempts: 2 },
    replies: [{ status: 529, message: 'The model is overloaded (a demonstration)' }],
  },
  {
    agent: 'Bug fixer (demo)',
    message: 'Measure all pages of the shop',
    ...{ tags: ['demo', 'slow'], hasRepository: true, isCancelled: true },
    replies: Array.from({ length: 20 }, (_, page) => read('README.md', `Page ${page + 1} of 20 takes 12 ms.`)),
  },
  {
    agent: 'Night shift (demo)',
    message: 'Update the dependencies',
    ...{ tags: ['demo'], hasRepository: true, replies: [] },
  },
];

/** What the model says to anything else, such as in a session that goes on. */
export const OTHER: Reply = say('I know only what the tasks of this demonstration ask.');

/** Comes again and again, so that something happens. */
export const ROUTINE: Story = {
  agent: 'Reviewer (demo)',
  message: 'Is the shop open?',
  tags: ['demo', 'routine'],
  replies: [say('Yes: the shop is open, and the kettle is on.')],
};
