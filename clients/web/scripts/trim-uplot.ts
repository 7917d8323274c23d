import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';

/** What the plots of the pages do not use, and what stands in its place; the minifier removes what is unused then. */
const REMOVED: readonly [code: string, replacement: string][] = [
  // Data: tables are never joined.
  ['uPlot.join = join;', ''],
  // Paths: lines and bars are used.
  ['(paths.stepped = stepped);', ''],
  ['(paths.spline  = monotoneCubic);', ''],
  ['uPlot.addGap = addGap;', ''],
  ['uPlot.clipGaps = clipGaps;', ''],
  // The legend is the page's own.
  ['const showLegend = legend.show;', 'const showLegend = false;'],
  // Labels of times, too.
  ['uPlot.fmtDate = fmtDate;', ''],
  ['uPlot.tzDate  = tzDate;', ''],
  ['\t\t_timeAxisStamps,\n', '\t\tnull,\n'],
  [
    'timeAxisVals(_tzDate, timeAxisStamps((ms == 1 ? _timeAxisStampsMs : _timeAxisStampsS), _fmtDate));',
    'numAxisVals;',
  ],
  ['timeAxisVals(_tzDate, timeAxisStamps(av, _fmtDate))', 'av'],
  ['timeAxisVal(_tzDate, av)', 'av'],
  ['timeSeriesVal(_tzDate, timeSeriesStamp(_timeSeriesStamp, _fmtDate));', 'numSeriesVal;'],
  ['timeSeriesVal(_tzDate, timeSeriesStamp(sv, _fmtDate))', 'sv'],
  // Scales are linear.
  ['uPlot.rangeLog = rangeLog;', ''],
  ['uPlot.rangeAsinh = rangeAsinh;', ''],
  ['sc.distr == 3 ? logAxisSplits : sc.distr == 4 ? asinhAxisSplits : ', ''],
  ['sc.distr >= 3 && sc.log == 10 ? log10AxisValsFilt : sc.distr == 3 && sc.log == 2 ? log2AxisValsFilt : ', ''],
  ['(sc.distr == 3 ? snapLogX : sc.distr == 4 ? snapAsinhX : snapNumX)', 'snapNumX'],
  ['(sc.distr == 3 ? snapLogY : sc.distr == 4 ? snapAsinhY : snapNumY)', 'snapNumY'],
];

/** What holds for all plots: aligned data, time from left to right, linear scales. */
const CONSTANT: Record<string, boolean> = {
  'mode == 1': true,
  'mode == 2': false,
  'scaleX.ori == 0': true,
  'scaleX.ori == 1': false,
  'distr == 2': false,
  'distr == 3': false,
  'distr ==  3': false,
  'distr == 4': false,
  'distr == 100': false,
};

/** Builds uPlot without what is not used: 3.7 KiB less in brotli. @throws where another version has other code */
export const trimUPlot: Plugin = {
  name: 'trim-uplot',
  setup(build) {
    build.onLoad({ filter: /[\\/]uPlot\.esm\.js$/ }, ({ path }) => ({ contents: trim(readFileSync(path, 'utf8')) }));
  },
};

function trim(source: string): string {
  const rest = REMOVED.reduce((code, [removed, replacement]) => {
    const parts = code.split(removed);
    if (parts.length !== 2) throw new Error(`uPlot has this code ${parts.length - 1} times, not once: ${removed}`);
    return parts.join(replacement);
  }, source);
  return Object.entries(CONSTANT).reduce((code, [condition, value]) => {
    if (!code.includes(condition)) throw new Error(`uPlot has this code no more: ${condition}`);
    return code.replaceAll(condition, String(value));
  }, rest);
}
