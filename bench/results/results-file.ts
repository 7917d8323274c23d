import { machine, table, today } from './markdown.ts';

/** Each part is written by one command: `npm run bench`, or `npm run bench -- <part>`. */
const PARTS = ['main', 'replicas', 'capacity', 'images', 'scale', 'soak'] as const;
export type PartName = (typeof PARTS)[number];

/** Whether the results of a question are a part of their own, without those of others. */
export function isOwnPart(question: string | undefined): question is PartName {
  return question !== 'main' && PARTS.some((part) => part === question);
}

/** Returns RESULTS.md with one part replaced or added. */
export function replacePart(file: string, name: PartName, part: string): string {
  const found = file.split(/^(?=# Results of )/m);
  const parts = PARTS.flatMap((each) => {
    const text = each === name ? part : found.find((one) => one.startsWith(headingOf(each)));
    return text === undefined ? [] : [text.trimEnd()];
  });
  return `${parts.join('\n\n')}\n`;
}

/** `about`: more rows for the table of the environment. */
export function mainPart(sections: string[], about: [string, string][]): string {
  return `${headingOf('main')}
Only the ratios can be compared with other machines: load generator, Redis and all processes share one machine. Unless stated otherwise, figures
are medians of rounds that alternate between the rows, after a warm-up, over 64 connections that are always busy, so that latencies include
queueing.

${table(['', ''], [['Date', today()], ['Machine', machine()], ['Node', process.version], ...about])}

${sections.join('\n\n')}
`;
}

export function singlePart(name: PartName, section: string): string {
  return `${headingOf(name)}
${today()}, ${machine()}, Node ${process.version}.

${section}
`;
}

function headingOf(name: PartName): string {
  return `# Results of \`npm run bench${name === 'main' ? '' : ` -- ${name}`}\`\n`;
}
