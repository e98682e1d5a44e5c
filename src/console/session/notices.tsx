import type { ReactNode } from 'react';
import { useNow } from '../data/use-now.ts';
import { CloseIcon } from '../icons.tsx';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { formatTimeLeft, type Urgency, urgency } from './time-left.ts';
import type { Control } from './use-control.ts';

const text = texts.session;
const QUICK_MINUTES = 15;

const TONES = {
  calm: 'border-line bg-panel',
  warn: 'border-warn/30 bg-warn-tint text-warn',
  bad: 'border-bad/30 bg-bad-tint text-bad',
} as const;

/**
 * Floats over the stage of the phone, so that a notice that comes or goes does not move the phone under the pointer. It
 * is beside the phone where there is room, and otherwise over the top of its screen. It lets pointer events through.
 */
export function NoticeStack({ children }: { children: ReactNode }) {
  return (
    <div className="pointer-events-none absolute inset-x-2 top-2 z-raised mx-auto flex max-w-md flex-col items-center gap-2 empty:hidden @min-[60rem]:inset-x-auto @min-[60rem]:top-4 @min-[60rem]:left-4 @min-[60rem]:mx-0 @min-[60rem]:w-72 @min-[60rem]:items-start">
      {children}
    </div>
  );
}

interface NoticeProps {
  tone: keyof typeof TONES;
  /**
   * Accessible name, if the content is not announced. A notice that changes constantly is announced once, elsewhere.
   */
  silentAs?: string;
  children: ReactNode;
}

export function Notice({ tone, silentAs, children }: NoticeProps) {
  return (
    <div
      {...(silentAs === undefined ? { role: 'status' } : { role: 'region', 'aria-label': silentAs })}
      className={`appear pointer-events-auto flex w-full flex-wrap items-center gap-x-3 gap-y-2 rounded-xl border px-3.5 py-2.5 text-sm shadow-lift ${TONES[tone]}`}
    >
      {children}
    </div>
  );
}

/**
 * Shows one problem of the connection: another client controls the phone, or a part of the service cannot be reached.
 * A problem that the video shows too is explained over the video.
 */
export function ConnectionNotice({ control, inDoubt }: { control: Control; inDoubt: boolean }) {
  const { phase, wasReady } = control.state;
  const { takenBy } = control;
  if (phase === 'taken-over') {
    return (
      <Notice tone="warn">
        <p className="min-w-40 grow basis-0">
          <strong className="font-semibold">{text.takenTitle(takenByName(takenBy))}.</strong> {text.taken}
        </p>
        <Button size="small" onClick={control.takeBack}>
          {text.takeBack}
        </Button>
      </Notice>
    );
  }
  if (phase === 'connecting' && wasReady) return <Notice tone="warn">{text.controlLost}</Notice>;
  return inDoubt ? <Notice tone="bad">{text.unreachable}</Notice> : null;
}

const takenByName = (takenBy: Control['takenBy']): string | null =>
  takenBy?.same_key ? text.takenByOwnKey : (takenBy?.by?.name ?? null);

interface ExpiryNoticeProps {
  expiresAt: string;
  /** Whether the service sent a warning that the user has not dismissed. */
  warned: boolean;
  extending: boolean;
  onExtend(minutes: number): void;
  onDismiss(): void;
}

/** The time left, as text for each warning. */
const LEFT_WORDS: Record<Exclude<Urgency, 'calm'>, string> = {
  close: texts.minutes(5),
  urgent: text.aMinute,
  final: text.tenSeconds,
};

/**
 * Shown when the service sends a warning. In the last minute it is shown without one, in case the warning was missed.
 */
export function ExpiryNotice({ expiresAt, warned, extending, onExtend, onDismiss }: ExpiryNoticeProps) {
  const left = Date.parse(expiresAt) - useNow();
  const level = urgency(left);
  const isShown = level !== 'calm' && (level !== 'close' || warned);
  return (
    <>
      {/* Announced once per warning, because a screen reader would announce a countdown every second. */}
      <p role="status" className="sr-only">
        {isShown && text.expiringSoon(LEFT_WORDS[level])}
      </p>
      {isShown && (
        <Notice tone={level === 'close' ? 'warn' : 'bad'} silentAs={text.timeLeft}>
          <p className="min-w-40 grow basis-0 tabular-nums">{text.expiring(formatTimeLeft(left))}</p>
          <Button size="small" busy={extending} onClick={() => onExtend(QUICK_MINUTES)}>
            {text.quickExtend(QUICK_MINUTES)}
          </Button>
          {level === 'close' && (
            <button
              type="button"
              aria-label={text.dismiss}
              onClick={onDismiss}
              className="grid size-control-sm place-items-center rounded-lg"
            >
              <CloseIcon />
            </button>
          )}
        </Notice>
      )}
    </>
  );
}
