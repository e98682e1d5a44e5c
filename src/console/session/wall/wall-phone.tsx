import { useRef, useState, useSyncExternalStore } from 'react';
import type { Session } from '../../../contract/http/session.ts';
import { useDevice } from '../../data/queries.ts';
import { useNow } from '../../data/use-now.ts';
import { parseResolution } from '../../devices/resolution.ts';
import { Link } from '../../router.tsx';
import { texts } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { Tooltip } from '../../ui/tooltip.tsx';
import { PhoneScreen } from '../phone-screen.tsx';
import { HideIcon } from '../session-icons.tsx';
import { nameOfPhone } from '../session-view.ts';
import { formatTimeLeft, urgency } from '../time-left.ts';
import { SmallControlBar } from '../toolbar/control-bar.tsx';
import type { Typing } from '../toolbar/phone-actions.tsx';
import { type Control, useControl } from '../use-control.ts';
import { usePhoneClipboard } from '../use-phone-clipboard.ts';
import { useScreen } from '../use-screen.ts';
import type { Mirror } from './mirror.ts';
import { useMirrored } from './use-mirrored.ts';

const text = texts.wall;

interface WallPhoneProps {
  session: Session;
  inDoubt: boolean;
  /** Height of the card in CSS pixels. */
  height: number;
  mirror: Mirror;
  /** Null if this is the only phone. */
  onHide: (() => void) | null;
}

/**
 * One phone on the wall. The page only watches it until the user requests control, because a takeover ends the
 * control of the current controller.
 */
export function WallPhone({ session, inDoubt, height, mirror, onHide }: WallPhoneProps) {
  const device = useDevice(session.device_id).data;
  const name = nameOfPhone(session);
  const canvas = useRef<HTMLCanvasElement>(null);
  const keyboard = useRef<HTMLTextAreaElement>(null);
  const [controlled, setControlled] = useState(false);
  const [typing, setTyping] = useState(false);
  const own = useControl(controlled ? session.control_url : null);
  const screen = useScreen(canvas, session.stream_url, { inDoubt, isSilent: own.isSilent });
  const { control, isMirrored } = useMirrored(mirror, session.session_id, own, screen);
  const { isOn } = useSyncExternalStore(mirror.subscribe, mirror.state);
  // Mirrored input needs the control of every phone.
  if (isOn && !controlled) setControlled(true);
  const clipboard = usePhoneClipboard(control);
  return (
    <article
      aria-label={text.label(name)}
      style={{ height }}
      className={`flex flex-col gap-2 rounded-2xl border bg-panel p-2.5 shadow-card max-md:!h-[min(36rem,82dvh)] ${
        typing ? 'border-focus' : isMirrored ? 'border-warn ring-1 ring-warn' : 'border-line'
      }`}
    >
      <WallHeader session={session} name={name} onHide={onHide} />
      <PhoneScreen
        name={name}
        canvas={canvas}
        screen={screen}
        size={parseResolution(device?.resolution)}
        starting={session.status === 'connecting'}
        control={control}
        active={controlled}
        keyboard={keyboard}
        onPaste={clipboard.paste}
        onCopy={clipboard.copied}
        onTyping={setTyping}
        barBelow
        bar={() => (
          <WallControls
            name={name}
            control={control}
            controlled={controlled}
            onControl={() => setControlled(true)}
            keyboard={keyboard}
            typing={typing}
          />
        )}
      />
    </article>
  );
}

const TONE = { calm: 'text-soft', close: 'text-warn', urgent: 'text-bad', final: 'text-bad' } as const;

function WallHeader({
  session,
  name,
  onHide,
}: Pick<WallPhoneProps, 'session' | 'onHide'> & { name: string }) {
  const left = Date.parse(session.expires_at) - useNow();
  return (
    <header className="flex items-center gap-2 pl-1">
      <h2 className="min-w-0 grow truncate text-sm font-semibold">
        <Link
          href={`/sessions/${encodeURIComponent(session.session_id)}`}
          title={text.open(name)}
          className="rounded-sm underline-offset-2 hover:underline"
        >
          {name}
        </Link>
      </h2>
      <span
        role="timer"
        aria-label={texts.session.timeLeft}
        className={`text-sm font-medium tabular-nums ${TONE[urgency(left)]}`}
      >
        {formatTimeLeft(left)}
      </span>
      {onHide && (
        <IconButton
          label={text.hide(name)}
          icon={<HideIcon className="size-4" />}
          side="bottom"
          onClick={onHide}
          size="small"
        />
      )}
    </header>
  );
}

interface WallControlsProps extends Typing {
  name: string;
  control: Control;
  controlled: boolean;
  onControl(): void;
}

function WallControls({ name, control, controlled, onControl, ...typing }: WallControlsProps) {
  if (control.state.phase === 'taken-over') {
    return (
      <Button size="small" onClick={control.takeBack}>
        {texts.session.takeBack}
      </Button>
    );
  }
  if (!controlled) {
    return (
      <Tooltip text={text.controlHint}>
        <Button size="small" aria-label={text.controlOne(name)} onClick={onControl}>
          {text.control}
        </Button>
      </Tooltip>
    );
  }
  return <SmallControlBar control={control} {...typing} />;
}
