import type uPlot from 'uplot';

let loading: Promise<typeof uPlot> | undefined;

/** A chunk of its own. A failure is not kept: the next plot tries anew. */
export function loadUPlot(): Promise<typeof uPlot> {
  loading ??= import('uplot').then((module) => module.default);
  loading.catch(() => {
    loading = undefined;
  });
  return loading;
}
