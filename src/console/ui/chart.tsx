import { type KeyboardEvent, type PointerEvent, type ReactElement, type ReactNode, useState } from 'react';
import { barPaths, scaleOf } from './chart-scale.ts';

export interface Series<Datum> {
  name: string;
  colour: string;
  value(datum: Datum): number;
}

interface StackedBarsProps<Datum> {
  /** What the chart shows. Screen readers announce it. */
  title: string;
  data: readonly Datum[];
  /** The series from bottom to top. */
  series: readonly Series<Datum>[];
  /** Label below a bar. `heading` is the title above the figures of a bar. */
  tick(datum: Datum): string;
  heading(datum: Datum): string;
  format(value: number): string;
}

const KEYS: Readonly<Record<string, (at: number, last: number) => number>> = {
  ArrowRight: (at) => at + 1,
  ArrowLeft: (at) => at - 1,
  Home: () => 0,
  End: (_, last) => last,
};

/**
 * A bar chart over days or hours, drawn as one path for each series. The arrow keys move from bar to bar. A table with
 * all figures is beside the chart.
 */
export function StackedBars<Datum>({ title, data, series, tick, heading, format }: StackedBarsProps<Datum>) {
  const [active, setActive] = useState<number | null>(null);
  const values = data.map((datum) => series.map(({ value }) => value(datum)));
  const scale = scaleOf(Math.max(0, ...values.map((bar) => bar.reduce((sum, value) => sum + value, 0))));
  const last = data.length - 1;
  const onKeyDown = (event: KeyboardEvent) => {
    const move = KEYS[event.key];
    if (!move || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    setActive(Math.min(last, Math.max(0, move(active ?? 0, last))));
  };
  const onPointerMove = ({ currentTarget, clientX }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    setActive(Math.min(last, Math.max(0, Math.floor(((clientX - left) / width) * data.length))));
  };
  const datum = active === null ? undefined : data[active];
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for the controls of a form
    <div
      role="group"
      aria-label={title}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys move from bar to bar
      tabIndex={0}
      onKeyDown={onKeyDown}
      onFocus={() => setActive(active ?? 0)}
      onBlur={() => setActive(null)}
      className="relative h-64 rounded text-xs text-soft tabular-nums"
    >
      <div
        onPointerMove={onPointerMove}
        onPointerLeave={() => setActive(null)}
        className="absolute inset-x-0 top-2 bottom-6 ml-12"
      >
        {scale.ticks.map((value) => (
          <GridLine key={value} at={value / scale.top}>
            {value.toLocaleString('en')}
          </GridLine>
        ))}
        <Bars values={values} top={scale.top} colours={series.map(({ colour }) => colour)} active={active} />
        {ticksOf(data.length).map((index) => (
          <span
            key={index}
            aria-hidden="true"
            className="absolute top-full mt-1.5 -translate-x-1/2 whitespace-nowrap"
            style={{ left: centreOf(index, data.length) }}
          >
            {tick(data[index] as Datum)}
          </span>
        ))}
        <div
          role="status"
          className="pointer-events-none absolute top-0 z-raised mx-2"
          style={beside(active ?? 0, data.length)}
        >
          {datum !== undefined && (
            <Figures title={heading(datum)}>
              {series.map(({ name, colour, value }) => (
                <Figure key={name} name={name} colour={colour} value={format(value(datum))} />
              ))}
            </Figures>
          )}
        </div>
      </div>
    </div>
  );
}

interface BarsProps {
  values: readonly (readonly number[])[];
  top: number;
  colours: readonly string[];
  active: number | null;
}

function Bars({ values, top, colours, active }: BarsProps) {
  return (
    <svg
      viewBox={`0 0 ${values.length} 1`}
      preserveAspectRatio="none"
      aria-hidden="true"
      data-chart
      className="absolute inset-0 size-full"
    >
      {active !== null && <rect x={active} y="0" width="1" height="1" fill="var(--sunken)" />}
      {barPaths(values, top).map((path, index) => (
        <path key={colours[index]} d={path} fill={colours[index]} />
      ))}
    </svg>
  );
}

function GridLine({ at, children }: { at: number; children: ReactNode }) {
  return (
    <div
      aria-hidden="true"
      className="absolute inset-x-0 border-t border-line"
      style={{ bottom: `${100 * at}%` }}
    >
      <span className="absolute right-full mr-2 -translate-y-1/2">{children}</span>
    </div>
  );
}

/** Number of labels below the bars, few enough for a narrow screen. */
const LABELS = 6;

const ticksOf = (count: number): number[] => {
  const step = Math.max(1, Math.ceil(count / LABELS));
  return Array.from({ length: Math.ceil(count / step) }, (_, n) => n * step);
};

const centreOf = (index: number, count: number) => `${(100 * (index + 0.5)) / count}%`;

/** Places the figures on the side of the bar that has more room. */
const beside = (index: number, count: number) =>
  index < count / 2 ? { left: centreOf(index, count) } : { right: centreOf(count - 1 - index, count) };

function Figures({ title, children }: { title: string; children: ReactElement[] }) {
  return (
    <div className="rounded-lg border border-line bg-panel px-3 py-2 text-sm whitespace-nowrap text-ink shadow-lift">
      <p className="font-medium">{title}</p>
      {children}
    </div>
  );
}

function Figure({ name, colour, value }: { name: string; colour: string; value: ReactNode }) {
  return (
    <p className="flex items-center gap-2 text-soft">
      <Swatch colour={colour} />
      <span className="grow">{name}</span>
      <span className="text-ink tabular-nums">{value}</span>
    </p>
  );
}

const Swatch = ({ colour }: { colour: string }) => (
  <span aria-hidden="true" className="size-2.5 rounded-sm" style={{ background: colour }} />
);

/** The legend: the colour of each series. */
export function Legend({ series }: { series: readonly { name: string; colour: string }[] }) {
  return (
    <ul className="mb-2 flex flex-wrap gap-x-4 gap-y-1 text-sm text-soft">
      {series.map(({ name, colour }) => (
        <li key={name} className="flex items-center gap-1.5">
          <Swatch colour={colour} />
          {name}
        </li>
      ))}
    </ul>
  );
}
