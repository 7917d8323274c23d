import { useEffect, useRef, useState } from 'preact/hooks';
import { Badge } from '../../components/badge.tsx';
import { contrastOf } from './contrast.ts';
import { Section } from './section.tsx';

const SCHEMES = ['light', 'dark'] as const;
const SURFACES = ['page', 'surface', 'raised', 'sunken', 'hover'];
const ON_SURFACES = ['text', 'muted', 'accent', 'ok', 'warn', 'error', 'info'];
const TONES = ['ok', 'warn', 'error', 'info', 'accent'];

interface Pair {
  color: string;
  backgrounds: readonly string[];
}

const TEXTS: readonly Pair[] = [
  ...ON_SURFACES.map((color) => ({ color, backgrounds: SURFACES })),
  ...TONES.map((color) => ({ color, backgrounds: [`${color}-soft`] })),
  { color: 'muted', backgrounds: ['neutral-soft'] },
  { color: 'on-accent', backgrounds: ['accent'] },
];
const LINES: readonly Pair[] = ['line-strong', ...[1, 2, 3, 4, 5].map((number) => `series-${number}`)].map((color) => ({
  color,
  backgrounds: ['surface'],
}));
const TEXT_CONTRAST = 4.5;
const LINE_CONTRAST = 3;

/** All colours in both schemes, and how well texts can be read on them. */
export function ColorSection() {
  return (
    <Section title="Colours">
      <div class="samples-columns">
        {SCHEMES.map((scheme) => (
          <div key={scheme} class="samples-scheme stack" style={{ colorScheme: scheme }}>
            <h3>{scheme === 'light' ? 'Light' : 'Dark'}</h3>
            <ul class="samples-colors">
              {colorNames().map((name) => (
                <li key={name}>
                  <span class="samples-swatch" style={{ background: toVariable(name) }} />
                  <code>{name}</code>
                </li>
              ))}
            </ul>
            <Contrasts
              label="Texts on the surface where they are read worst: at least 4.5"
              pairs={TEXTS}
              least={TEXT_CONTRAST}
            />
            <Contrasts label="Lines and graphs: at least 3" pairs={LINES} least={LINE_CONTRAST} />
          </div>
        ))}
      </div>
    </Section>
  );
}

interface ContrastsProps {
  label: string;
  pairs: readonly Pair[];
  least: number;
}

function Contrasts({ label, pairs, least }: ContrastsProps) {
  return (
    <div class="stack-tight">
      <p class="small muted">{label}</p>
      <ul class="samples-pairs">
        {pairs.map((pair) => (
          <Contrast key={`${pair.color} ${pair.backgrounds}`} {...pair} least={least} />
        ))}
      </ul>
    </div>
  );
}

/** On the background of some with the least contrast. */
function Contrast({ color, backgrounds, least }: Pair & { least: number }) {
  const sample = useRef<HTMLSpanElement>(null);
  const [worst, setWorst] = useState({ background: backgrounds[0] ?? '', ratio: 0 });
  useEffect(() => {
    const found = backgrounds.map((background) => ({ background, ratio: measure(sample.current, background) }));
    setWorst(found.reduce((a, b) => (b.ratio < a.ratio ? b : a)));
  }, []);
  return (
    <li class="row">
      <span
        ref={sample}
        class="samples-pair"
        style={{
          background: toVariable(worst.background),
          borderColor: toVariable(color),
          color: toVariable(least < TEXT_CONTRAST ? 'text' : color),
        }}
      >
        {color} on {worst.background}
      </span>
      <Badge tone={worst.ratio >= least ? 'ok' : 'error'}>{worst.ratio.toFixed(1)}</Badge>
    </li>
  );
}

/** The contrast of an element's border, which has the colour in question, with a background. */
function measure(element: HTMLElement | null, background: string): number {
  if (!element) return 0;
  element.style.background = toVariable(background);
  const { borderTopColor, backgroundColor } = getComputedStyle(element);
  return contrastOf(borderTopColor, backgroundColor) ?? 0;
}

function toVariable(name: string): string {
  return `var(--color-${name})`;
}

/** Those of `tokens.css`, in its order. */
function colorNames(): string[] {
  return [...document.styleSheets]
    .flatMap((sheet) => [...sheet.cssRules])
    .filter((rule): rule is CSSStyleRule => rule instanceof CSSStyleRule && rule.selectorText === ':root')
    .flatMap(({ style }) => [...style])
    .filter((name) => name.startsWith('--color-'))
    .map((name) => name.slice('--color-'.length));
}
