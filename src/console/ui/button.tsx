import type { ComponentProps } from 'react';
import { SpinnerIcon } from '../icons.tsx';
import { Link } from '../router.tsx';

const SHAPE =
  'inline-flex items-center justify-center gap-2 rounded-lg font-medium whitespace-nowrap transition-colors disabled:opacity-55';
const SIZES = { normal: 'h-control px-4', small: 'h-control-sm px-3.5 text-sm' } as const;
const LOOKS = {
  primary: 'border border-transparent bg-strong text-on-strong enabled:hover:bg-strong/85',
  plain: 'border border-line bg-panel text-ink enabled:hover:border-edge enabled:hover:bg-sunken',
  danger: 'border border-bad/40 bg-panel text-bad enabled:hover:bg-bad-tint',
  quiet: 'border border-transparent text-soft enabled:hover:bg-sunken enabled:hover:text-ink',
} as const;

interface Looks {
  look?: keyof typeof LOOKS;
  size?: keyof typeof SIZES;
}

export function Button({
  look = 'plain',
  size = 'normal',
  busy = false,
  className = '',
  children,
  disabled,
  type = 'button',
  ...rest
}: ComponentProps<'button'> & Looks & { busy?: boolean }) {
  return (
    <button
      type={type}
      disabled={disabled || busy}
      aria-busy={busy}
      data-look={look}
      className={`${SHAPE} ${SIZES[size]} ${LOOKS[look]} ${className}`}
      {...rest}
    >
      {busy && <SpinnerIcon className="spin size-4" />}
      {children}
    </button>
  );
}

export function ButtonLink({
  look = 'plain',
  size = 'normal',
  className = '',
  ...rest
}: ComponentProps<typeof Link> & Looks) {
  const hover = LOOKS[look].replaceAll('enabled:', '');
  return <Link className={`${SHAPE} ${SIZES[size]} ${hover} ${className}`} {...rest} />;
}
