import { describe, expect, test } from '@jest/globals';
import { type PlotData, readoutSentence, toReadout } from '../src/plots/plot-data.ts';
import { type PlotUnit, shortValueText, stepText, timeTicks, topOf } from '../src/plots/plot-values.ts';

/** Local, as plots show it. */
function seconds(hour: number, minute = 0, day = 25): number {
  return new Date(2026, 10, day, hour, minute).getTime() / 1_000;
}

function plot(length: number, step: number, values: (number | null)[], unit: PlotUnit = 'count'): PlotData {
  const times = Array.from({ length }, (_, index) => seconds(14) + index * step);
  return { times, unit, series: [{ label: 'Created', values, color: 'series-1', kind: 'line' }] };
}

describe('the axes of a plot', () => {
  test('values have the greatest unit that they fill', () => {
    const lengths = [0, 850, 1_500, 90_000, 2 * 3_600_000, 36 * 3_600_000];
    expect(lengths.map((ms) => shortValueText(ms, 'ms'))).toEqual(['0', '850 ms', '1.5 s', '1.5 min', '2 h', '1.5 d']);
    expect(shortValueText(12_500, 'count')).toBe('12.5k');
    expect([0.02, 2.44, 100].map((value) => shortValueText(value, 'percent'))).toEqual(['0.02%', '2.4%', '100%']);
  });

  test('the value axis reaches above every value, and percentages end at 100', () => {
    expect([topOf(0, 'count'), topOf(100, 'count'), topOf(99, 'percent')]).toEqual([4, 105, 100]);
  });

  test('the time axis has hours, and the day at midnight', () => {
    expect(timeTicks([seconds(23), seconds(0, 0, 26), seconds(1, 30, 26)])).toEqual(['23:00', '26 Nov', '01:30']);
  });

  test('a step has its beginning, its end if it is longer than a minute, and its day if there are several', () => {
    expect(stepText([seconds(14), seconds(14, 1)], 1)).toBe('14:01');
    expect(stepText([seconds(14), seconds(14, 5)], 0)).toBe('14:00–14:05');
    expect(stepText([seconds(22), seconds(23), seconds(0, 0, 26)], 1)).toBe('25 Nov, 23:00–00:00');
    expect(stepText([seconds(0), seconds(24)], 1)).toBe('26 Nov');
  });
});

describe('the cursor of a plot', () => {
  test('reads a step in words, also one without a value and one that has not ended', () => {
    const data = { ...plot(3, 60, [1_200, null, 3]), isPartial: true };
    const sentences = [0, 1, 2].map((index) => readoutSentence(toReadout(data, index)));
    expect(sentences).toEqual(['14:00, Created 1,200', '14:01, Created none', '14:02, so far, Created 3']);
  });
});
