import { parseResolution } from './resolution.ts';

const HEIGHT = 104;
const BEZEL = 4;

/** Draws a phone in the proportions of its resolution, with a look that reflects its status. */
export function PhoneSilhouette({ resolution, lit }: { resolution: string; lit: boolean }) {
  const { width, height } = parseResolution(resolution);
  const screenHeight = width > height ? Math.round(HEIGHT * (height / width)) : HEIGHT;
  const screenWidth = Math.round(screenHeight * (width / height));
  const total = { width: screenWidth + BEZEL * 2, height: screenHeight + BEZEL * 2 };
  return (
    <svg
      viewBox={`0 0 ${total.width} ${total.height}`}
      width={total.width}
      height={total.height}
      aria-hidden="true"
      className="shrink-0"
    >
      <rect
        x="0.5"
        y="0.5"
        width={total.width - 1}
        height={total.height - 1}
        rx="9"
        className="fill-strong/90 stroke-strong dark:fill-sunken dark:stroke-edge"
      />
      <rect
        x={BEZEL}
        y={BEZEL}
        width={screenWidth}
        height={screenHeight}
        rx="6"
        className={`transition-[fill] duration-500 ${lit ? 'fill-good-tint' : 'fill-line'}`}
      />
      <rect
        x={total.width / 2 - 7}
        y={total.height - BEZEL - 5}
        width="14"
        height="1.6"
        rx="0.8"
        className={lit ? 'fill-good' : 'fill-edge'}
      />
      <circle cx={total.width / 2} cy={BEZEL + 5} r="1.7" className="fill-strong/90 dark:fill-edge" />
    </svg>
  );
}
