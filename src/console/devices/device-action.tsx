import { ChevronIcon } from '../icons.tsx';
import { canControl } from '../session/can-control.ts';
import { deviceTexts as text } from '../texts/devices.ts';
import { texts } from '../texts.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Tooltip } from '../ui/tooltip.tsx';
import type { DeviceEntryProps } from './device-entry.ts';
import type { LastConnect } from './last-connect.ts';

/** Filled only while the pointer or the focus is on the phone, so that a list is not a wall of filled buttons. */
const QUIET_PRIMARY =
  'group-hover/phone:border-strong group-hover/phone:bg-strong group-hover/phone:text-on-strong group-hover/phone:enabled:hover:bg-strong/85 focus-visible:border-strong focus-visible:bg-strong focus-visible:text-on-strong';

/** The one action that is possible with the phone now. */
export function DeviceAction(props: DeviceEntryProps) {
  const { device, session, standing, onWait } = props;
  if (session) {
    return (
      <ButtonLink
        look={standing.state === 'yours' ? 'primary' : 'plain'}
        size="small"
        href={`/sessions/${session.session_id}`}
      >
        {canControl(session) ? text.open : text.watch}
      </ButtonLink>
    );
  }
  if (standing.state === 'available') return <ConnectButtons {...props} />;
  return (
    <Button size="small" aria-label={text.waitForOneLike(device.name)} onClick={() => onWait(device)}>
      {text.wait}
    </Button>
  );
}

/** One click repeats the last connect. The button beside it asks for the duration and the app. */
function ConnectButtons({ device, last, connectingId, onConnect, onChoose }: DeviceEntryProps) {
  if (!last) {
    return (
      <Button size="small" className={QUIET_PRIMARY} onClick={() => onChoose(device)}>
        {text.connect}
      </Button>
    );
  }
  return (
    <span className="inline-flex">
      <Tooltip text={text.connectAsBefore(lengthOf(last), last.app?.name ?? null)}>
        <Button
          size="small"
          className={`rounded-r-none ${QUIET_PRIMARY}`}
          busy={connectingId === device.id}
          disabled={connectingId !== null}
          onClick={() => onConnect(device)}
        >
          {text.connect}
        </Button>
      </Tooltip>
      <Tooltip text={text.choose}>
        <Button
          size="small"
          aria-label={text.chooseFor(device.name)}
          className={`-ml-px rounded-l-none px-2 ${QUIET_PRIMARY} group-hover/phone:border-l-on-strong/30`}
          disabled={connectingId !== null}
          onClick={() => onChoose(device)}
        >
          <ChevronIcon className="size-4" />
        </Button>
      </Tooltip>
    </span>
  );
}

const lengthOf = ({ minutes }: LastConnect) =>
  minutes < 60 || minutes % 60 === 0 ? texts.duration.choice(minutes) : texts.minutes(minutes);
