import type { ReactElement, ReactNode } from 'react';
import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';

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

const AXIS = { fill: 'var(--soft)', fontSize: 12 };

/**
 * A bar chart over days or hours. The arrow keys move from bar to bar. A table with all figures is beside the chart.
 */
export function StackedBars<Datum>(props: StackedBarsProps<Datum>) {
  const { title, data, series, tick, heading, format } = props;
  const at = (index: number | string) => data[Number(index)];
  return (
    <div className="h-64 text-xs">
      <ResponsiveContainer width="100%" height="100%" initialDimension={{ width: 600, height: 256 }}>
        <BarChart
          data={data.map((datum, index) => ({ datum, index }))}
          title={title}
          margin={{ left: -8, right: 4 }}
        >
          <CartesianGrid vertical={false} stroke="var(--line)" />
          <XAxis
            dataKey="index"
            tick={AXIS}
            tickLine={false}
            axisLine={{ stroke: 'var(--line)' }}
            minTickGap={16}
            tickFormatter={(index) => mapped(at(index), tick)}
          />
          <YAxis tick={AXIS} tickLine={false} axisLine={false} allowDecimals={false} width={52} />
          <Tooltip
            cursor={{ fill: 'var(--sunken)' }}
            isAnimationActive={false}
            content={({ active, label }) => {
              const datum = active && label !== undefined ? at(label) : undefined;
              return datum === undefined ? null : (
                <Figures title={heading(datum)}>
                  {series.map(({ name, colour, value }) => (
                    <Figure key={name} name={name} colour={colour} value={format(value(datum))} />
                  ))}
                </Figures>
              );
            }}
          />
          {series.map(({ name, colour, value }) => (
            <Bar
              key={name}
              name={name}
              stackId="all"
              dataKey={({ datum }: { datum: Datum }) => value(datum)}
              fill={colour}
              maxBarSize={28}
              isAnimationActive={false}
            />
          ))}
        </BarChart>
      </ResponsiveContainer>
    </div>
  );
}

const mapped = <Datum,>(datum: Datum | undefined, map: (datum: Datum) => string) =>
  datum === undefined ? '' : map(datum);

function Figures({ title, children }: { title: string; children: ReactElement[] }) {
  return (
    <div className="rounded-lg border border-line bg-panel px-3 py-2 text-sm shadow-lift">
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
