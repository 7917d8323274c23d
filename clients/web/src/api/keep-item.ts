/** Keeps a text for the pages in this browser. Returns false where it lets them keep no more. */
export function keepItem(name: string, text: string): boolean {
  try {
    localStorage.setItem(name, text);
    return true;
  } catch {
    return false;
  }
}
