import type { Device } from '../../contract/http/device.ts';
import type { Session } from '../../contract/http/session.ts';
import { useDevice, useSession } from '../data/queries.ts';
import { modelName, platformName } from '../devices/phone-facts.ts';
import { Layout } from '../layout/layout.tsx';
import { texts } from '../texts.ts';
import { ButtonLink } from '../ui/button.tsx';
import { ErrorMessage } from '../ui/message.tsx';
import { usePageTitle } from '../ui/page-title.ts';
import { canControl } from './can-control.ts';
import { LiveSession } from './live-session.tsx';
import { SessionEnded } from './session-ended.tsx';
import { nameOfPhone } from './session-view.ts';
import { useOverdue } from './use-overdue.ts';
import { Watch } from './watch/watch-page.tsx';

/** The service counts as unreachable if it has not answered for this long. It is polled every few seconds. */
const OVERDUE_MS = 10_000;

/** Shows one session: the phone while the session is live, and why it ended afterwards. */
export function SessionPage({ sessionId }: { sessionId: string }) {
  const session = useSession(sessionId);
  const isOverdue = useOverdue(session.dataUpdatedAt, OVERDUE_MS) && session.data?.status !== 'disconnected';
  const device = useDevice(session.data?.device_id).data;
  const name = session.data ? nameOfPhone(session.data) : texts.session.loading;
  usePageTitle(session.data?.status === 'disconnected' ? texts.ended.title : name);
  if (!session.data) {
    return (
      <Layout current="session">
        {session.error ? (
          <ErrorMessage
            isPage
            error={session.error}
            onRetry={() => void session.refetch()}
            action={<ButtonLink href="/devices">{texts.ended.toDevices}</ButtonLink>}
          />
        ) : (
          <p role="status" className="py-20 text-center text-soft">
            {texts.session.loading}
          </p>
        )}
      </Layout>
    );
  }
  if (session.data.status === 'disconnected') {
    return (
      <Layout current="session">
        <SessionEnded session={session.data} name={name} />
      </Layout>
    );
  }
  if (!canControl(session.data)) {
    return (
      <div className="flex h-dvh flex-col">
        <Watch watched={{ streamUrl: session.data.stream_url, name }} loan={session.data} />
      </div>
    );
  }
  return (
    <LiveSession
      view={{ session: session.data, device, name }}
      inDoubt={session.isError || isOverdue}
      detail={detailOf(session.data, device)}
    />
  );
}

/** A device in maintenance is not visible, so its name and model come from the session. */
function detailOf({ device_model }: Session, device: Device | undefined): string {
  if (!device) return device_model ?? '';
  return `${modelName(device)} · ${platformName(device)}`;
}
