/** Loads the parser of Markdown, a chunk of its own, before the text is there. `Markdown` meets a failure again. */
export async function preloadParser(): Promise<void> {
  await import('../../markdown/parse-markdown.ts').catch(() => undefined);
}
