/** A length of time that plots show, with steps that give them about 60 to 100 values. */
export interface SeriesWindow {
  label: string;
  /** In seconds, as the API names them. */
  window: number;
  step: number;
}

export const WINDOWS: readonly SeriesWindow[] = [
  { label: '1 h', window: 3_600, step: 60 },
  { label: '6 h', window: 21_600, step: 300 },
  { label: '24 h', window: 86_400, step: 900 },
  { label: '48 h', window: 172_800, step: 1_800 },
];

/** The one that the address names, else the first. */
export function windowOf(query: URLSearchParams): SeriesWindow {
  const seconds = Number(query.get('window'));
  return WINDOWS.find(({ window }) => window === seconds) ?? (WINDOWS[0] as SeriesWindow);
}

export function seriesRequest(query: URLSearchParams, agentId?: string): string {
  const { window, step } = windowOf(query);
  return `/stats/series?window=${window}&step=${step}${agentId ? `&agent_id=${encodeURIComponent(agentId)}` : ''}`;
}

export function overviewRequests(query: URLSearchParams): string[] {
  return ['/stats', seriesRequest(query)];
}
