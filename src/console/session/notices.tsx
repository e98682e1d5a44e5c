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
  calm: 'border-b border-line bg-panel',
  warn: 'bg-warn-tint text-warn',
  bad: 'bg-bad-tint text-bad',
} as const;

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
      className={`appear flex items-center gap-x-4 gap-y-2 px-4 py-2.5 text-sm sm:px-6 ${TONES[tone]}`}
    >
      {children}
    </div>
  );
}

/** Shows who controls the phone if this page does not. */
export function ControlNotice({ control }: { control: Control }) {
  const { phase, wasReady } = control.state;
  if (phase === 'taken-over') {
    return (
      <Notice tone="warn">
        <p className="grow">
          <strong className="font-semibold">{text.takenTitle}.</strong> {text.taken}
        </p>
        <Button size="small" onClick={control.takeBack}>
          {text.takeBack}
        </Button>
      </Notice>
    );
  }
  if (phase === 'connecting' && wasReady) return <Notice tone="warn">{text.controlLost}</Notice>;
  return null;
}

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
          <p className="grow tabular-nums">{text.expiring(formatTimeLeft(left))}</p>
          <Button size="small" busy={extending} onClick={() => onExtend(QUICK_MINUTES)}>
            {text.quickExtend(QUICK_MINUTES)}
          </Button>
          {level === 'close' && (
            <button
              type="button"
              aria-label={text.dismiss}
              onClick={onDismiss}
              className="grid size-9 place-items-center rounded-lg"
            >
              <CloseIcon />
            </button>
          )}
        </Notice>
      )}
    </>
  );
}

export function StaleNotice({ shown }: { shown: boolean }) {
  return shown ? <Notice tone="bad">{text.unreachable}</Notice> : null;
}
