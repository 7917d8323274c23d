export function safeText(text: string): string {
  return text;
}
