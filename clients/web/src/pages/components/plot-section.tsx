import { AttemptTimeline } from '../../plots/attempt-timeline.tsx';
import type { Attempt } from '../../plots/attempts/attempt-rows.ts';
import { Plot } from '../../plots/plot.tsx';
import type { PlotData } from '../../plots/plot-data.ts';
import { Sparkline } from '../../plots/sparkline.tsx';
import { Sample, Section } from './section.tsx';

const STEPS = 60;
const STEP_SECONDS = 60;
const START = Math.floor(Date.now() / 60_000) * 60 - STEPS * STEP_SECONDS;
const TIMES = Array.from({ length: STEPS }, (_, at) => START + at * STEP_SECONDS);

const wave = (height: number, length: number) =>
  TIMES.map((_, at) => Math.round(height * (1.2 + Math.sin(at / length) + 0.3 * Math.sin(at * 1.7))));

const THROUGHPUT: PlotData = {
  times: TIMES,
  unit: 'count',
  isPartial: true,
  series: [
    { label: 'Created', color: 'series-1', kind: 'line', values: wave(40, 7), summary: '2.9k' },
    { label: 'Completed', color: 'series-2', kind: 'area', values: wave(36, 7), summary: '2.6k' },
    { label: 'Failed', color: 'series-3', kind: 'bars', values: wave(3, 5), summary: '220' },
  ],
};
const WAITS: PlotData = {
  times: TIMES,
  unit: 'ms',
  series: [
    { label: 'p95', color: 'series-5', kind: 'line', values: wave(900, 9).map((value, at) => (at % 9 ? value : null)) },
    { label: 'p50', color: 'series-1', kind: 'area', values: wave(200, 9) },
  ],
};
const NOTHING: PlotData = {
  ...THROUGHPUT,
  series: THROUGHPUT.series.map((one) => ({ ...one, values: TIMES.map(() => 0) })),
};

const BEGIN = Date.parse('2026-11-25T09:00:00Z');
const at = (seconds: number) => new Date(BEGIN + seconds * 1_000).toISOString();
const OUTCOMES = ['failed', 'lease_expired', 'timeout', 'released', 'cancelled', 'completed'] as const;
const ATTEMPTS: Attempt[] = OUTCOMES.map((outcome, index) => ({
  number: index + 1,
  outcome,
  worker_id: `builder-${index + 1}`,
  started_at: at(20 + index * 60),
  ended_at: at(50 + index * 60),
  error: outcome === 'failed' ? { code: 'page_missing', message: 'The page is missing', retryable: true } : null,
  usage: { input_tokens: 12_345 * index, cached_input_tokens: 9_000 * index, output_tokens: 987, reasoning_tokens: 0 },
  cost: { amount: 0.0123 * index, currency: 'USD', estimated: index % 2 === 0 },
  model: 'claude-sonnet-5',
}));

export function PlotSection({ isLoading }: { isLoading: boolean }) {
  return (
    <>
      <div class="samples-columns">
        <Plot title="Throughput" {...THROUGHPUT} isLoading={isLoading} />
        <Plot title="Waiting time" {...WAITS} isLoading={isLoading} />
        <Plot title="Nothing to show" {...NOTHING} isLoading={isLoading} />
      </div>
      <Section title="Sparklines and attempts">
        <Sample label="Sparklines">
          <div class="row">
            <Sparkline values={wave(4, 3).slice(0, 20)} label="completed in the last hour" />
            <Sparkline values={TIMES.slice(0, 20).map(() => 0)} label="failed in the last hour" />
          </div>
        </Sample>
        <AttemptTimeline
          task={{
            status: 'completed',
            created_at: at(0),
            scheduled_at: null,
            next_attempt_at: null,
            completed_at: at(350),
            attempt: ATTEMPTS.length,
          }}
          attempts={isLoading ? undefined : ATTEMPTS}
        />
      </Section>
    </>
  );
}
