import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { indexAfterKey, type PlotData, readoutSentence, toPlotTable, toReadout } from '../src/plots/plot-data.ts';
import { type PlotUnit, shortValueText, stepText, timeTicks, valueSplits } from '../src/plots/plot-values.ts';

const HOUR = 3_600;

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

  test('grid lines have round distances', () => {
    expect(valueSplits(0, 'count')).toEqual([0, 1, 2, 3, 4]);
    expect(valueSplits(31, 'count')).toEqual([0, 10, 20, 30, 40]);
    expect(valueSplits(61_000, 'ms')).toEqual([0, 30_000, 60_000, 90_000]);
    expect(valueSplits(100, 'percent')).toEqual([0, 25, 50, 75, 100]);
  });

  test('grid lines are few and reach above every value', () => {
    const units = fc.constantFrom<PlotUnit>('count', 'ms');
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e12, noNaN: true }), units, (max, unit) => {
        const splits = valueSplits(max, unit);
        expect(splits.length).toBeLessThanOrEqual(5);
        expect(splits.at(-1)).toBeGreaterThanOrEqual(max);
      }),
    );
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

  test('moves by keys, from the newest step, and not beyond the ends', () => {
    expect(indexAfterKey('ArrowLeft', null, 60)).toBe(58);
    expect(indexAfterKey('ArrowRight', 59, 60)).toBe(59);
    expect(indexAfterKey('PageDown', 5, 60)).toBe(0);
    expect(indexAfterKey('Home', 30, 60)).toBe(0);
    expect(indexAfterKey('End', 30, 60)).toBe(59);
  });

  test('leaves by Escape, and leaves other keys to the page', () => {
    expect(indexAfterKey('Escape', 30, 60)).toBeNull();
    expect(indexAfterKey('Escape', null, 60)).toBeUndefined();
    expect(indexAfterKey('j', 30, 60)).toBeUndefined();
  });
});

describe('the table of a plot', () => {
  test('has the newest step first', () => {
    const { rows, note } = toPlotTable({ ...plot(2, 60, [1, 2]), isPartial: true });
    expect(rows).toEqual([
      { time: '14:01, so far', values: ['2'] },
      { time: '14:00', values: ['1'] },
    ]);
    expect(note).toBeUndefined();
  });

  test('adds up the counts of several steps to have at most 60 rows', () => {
    const { rows, note } = toPlotTable(plot(121, 60, Array(121).fill(1)));
    expect(rows).toHaveLength(41);
    expect(rows[0]).toEqual({ time: '15:58–16:01', values: ['3'] });
    expect(rows.at(-1)).toEqual({ time: '14:00', values: ['1'] });
    expect(note).toBe('Each row has 3 steps, added up.');
  });

  test('has the greatest of several times, and a dash where all are missing', () => {
    const values = [...Array(60).fill(null), ...Array(30).fill(10), ...Array(30).fill(20)];
    const { rows, note } = toPlotTable(plot(120, HOUR / 6, values, 'ms'));
    expect(rows.slice(14, 16).map((row) => row.values[0])).toEqual(['20 ms', '10 ms']);
    expect(rows.at(-1)?.values).toEqual(['–']);
    expect(note).toBe('Each row has 2 steps, the greatest value.');
  });
});
