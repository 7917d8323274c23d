import { type Answer, answerFile, type Pages } from './static-file.ts';
import { readWebFiles, SHELLS } from './web-files.ts';

const { catalogue, console } = SHELLS;
/** What is below is up to the application. */
const SHELL_PATHS = [
  ['/', catalogue],
  ['/skills/*', catalogue],
  ['/console', console],
  ['/console/*', console],
] as const;

/** The catalogue and the console, built in the folder `root`, and their assets. */
export function createWebPages(root: string): Pages {
  const answers = new Map([...readWebFiles(root)].map(([name, file]) => [name, answerFile(file)]));
  const shells = SHELL_PATHS.map(([path, name]): [string, Answer] => [path, answers.get(name) as Answer]);
  const others = [...answers].filter(([name]) => name !== catalogue && name !== console);
  return new Map([...shells, ...others.map(([name, answer]): [string, Answer] => [`/${name}`, answer])]);
}
