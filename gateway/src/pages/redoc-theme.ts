/** The theme of ReDoc in a colour scheme; the colours are those of clients/web/src/styles/tokens.css. */
export function redocTheme(scheme: 'light' | 'dark') {
  const { page, surface, sunken, line, text, muted, accent, ok, warn, error } = COLOURS[scheme];
  return {
    colors: {
      primary: { main: accent },
      success: { main: ok },
      warning: { main: warn, contrastText: page },
      error: { main: error },
      gray: { 50: sunken, 100: surface },
      border: { light: line, dark: line },
      text: { primary: text, secondary: muted },
      responses: {
        success: { color: ok, backgroundColor: sunken, tabTextColor: '#6fd3a0' },
        error: { color: error, backgroundColor: sunken, tabTextColor: '#ff9b8f' },
        redirect: { color: muted, backgroundColor: sunken, tabTextColor: '#a8a297' },
        info: { color: accent, backgroundColor: sunken, tabTextColor: '#9db2ff' },
      },
    },
    schema: {
      linesColor: line,
      typeNameColor: muted,
      typeTitleColor: muted,
      requireLabelColor: error,
      nestedBackground: sunken,
      arrow: { color: muted },
    },
    typography: {
      fontSize: '14px',
      fontFamily: SANS,
      headings: { fontFamily: SANS, fontWeight: '600' },
      code: { fontFamily: 'ui-monospace, monospace', color: text, backgroundColor: sunken },
      links: { color: accent, visited: accent, hover: accent },
    },
    sidebar: {
      backgroundColor: page,
      textColor: text,
      activeTextColor: accent,
      groupItems: { activeBackgroundColor: sunken, activeTextColor: accent },
      level1Items: { activeBackgroundColor: sunken, activeTextColor: accent },
      arrow: { color: muted },
    },
    rightPanel: {
      backgroundColor: '#1a1917',
      textColor: '#efece6',
      servers: { overlay: { backgroundColor: surface, textColor: text }, url: { backgroundColor: sunken } },
    },
    codeBlock: { backgroundColor: '#121110' },
    fab: { backgroundColor: surface, color: accent },
  };
}

const SANS = 'system-ui, -apple-system, Segoe UI, Roboto, Helvetica Neue, Arial, sans-serif';

const COLOURS = {
  light: {
    page: '#faf9f6',
    surface: '#ffffff',
    sunken: '#f3f1ec',
    line: '#e5e1d9',
    text: '#1d1b18',
    muted: '#645f56',
    accent: '#2446d8',
    ok: '#17693f',
    warn: '#855003',
    error: '#b3261e',
  },
  dark: {
    page: '#121110',
    surface: '#1a1917',
    sunken: '#161513',
    line: '#33302b',
    text: '#efece6',
    muted: '#a8a297',
    accent: '#9db2ff',
    ok: '#6fd3a0',
    warn: '#efb85a',
    error: '#ff9b8f',
  },
};
