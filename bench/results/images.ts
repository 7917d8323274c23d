import type { ImageResults } from '../images/images.ts';
import { table, toMegabytes } from './markdown.ts';

export function imagesSection({ images, vulnerabilities }: ImageResults): string {
  const rows = images.map(({ name, bytes, packages }) => [`\`${name}\``, toMegabytes(bytes), String(packages)]);
  return `## Images of the services

Size on disk, most of which is Debian and Node, the same for all; packages of npm by the SBOM in the image. Known
vulnerabilities of these packages by \`npm audit --omit=dev\`: ${vulnerabilities ?? 'not told by the package registry'}.

${table(['image', 'MB', 'packages'], rows)}`;
}
