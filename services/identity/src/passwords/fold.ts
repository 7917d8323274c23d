/** The text as passwords are compared: without regard to case and to how accents are composed (NFC). */
export function fold(text: string): string {
  // Upper case first: 'ß' and 'ss', 'ς' and 'σ' are then the same.
  return text.toUpperCase().toLowerCase().normalize('NFC');
}
