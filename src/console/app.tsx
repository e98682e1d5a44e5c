import { Account } from './account/account.tsx';
import { SignedInPage } from './account/signed-in-page.tsx';
import { AppsPage } from './apps/apps-page.tsx';
import { LiveUpdates } from './data/live-updates.tsx';
import { DevicesPage } from './devices/devices-page.tsx';
import { PhoneIcon } from './icons.tsx';
import { Layout } from './layout/layout.tsx';
import { PaletteHost } from './palette/palette-host.tsx';
import { type Route, routeOf, useLocation } from './router.tsx';
import { SessionsPage } from './sessions/sessions-page.tsx';
import { texts } from './texts.ts';
import { ButtonLink } from './ui/button.tsx';
import { late } from './ui/late.tsx';
import { Message } from './ui/message.tsx';
import { usePageTitle } from './ui/page-title.ts';
import { Toasts } from './ui/toasts.tsx';
import { TooltipProvider } from './ui/tooltip.tsx';
import { WaitingForPhone } from './waiting/waiting.tsx';
import { WaitingBar } from './waiting/waiting-bar.tsx';

// These pages load lazily, because only some visits need them: the phone's decoder and controls, and the
// operator pages.
const SessionPage = late({
  page: 'session',
  load: async () => (await import('./session/session-page.tsx')).SessionPage,
  frame: ({ children }) => <Layout current="session">{children}</Layout>,
});
const WallPage = late({
  page: 'wall',
  load: async () => (await import('./session/wall/wall-page.tsx')).WallPage,
  frame: ({ children }) => <Layout current="wall">{children}</Layout>,
});
const WatchPage = late({
  page: 'watch',
  load: async () => (await import('./session/watch/watch-page.tsx')).WatchPage,
  frame: ({ children }) => <main>{children}</main>,
});
const SharedReplayPage = late({
  page: 'shared-replay',
  load: async () => (await import('./replay/shared-replay-page.tsx')).SharedReplayPage,
  frame: ({ children }) => <main>{children}</main>,
});
const SessionDetailsPage = late({
  page: 'session-details',
  load: async () => (await import('./sessions/session-details-page.tsx')).SessionDetailsPage,
});
const ReplayPage = late({
  page: 'replay',
  load: async () => (await import('./replay/replay-page.tsx')).ReplayPage,
  frame: ({ children }) => <Layout current="session-details">{children}</Layout>,
});
const UsagePage = late({
  page: 'usage',
  load: async () => (await import('./usage/usage-page.tsx')).UsagePage,
});
const KeysPage = late({
  page: 'keys',
  load: async () => (await import('./keys/keys-page.tsx')).KeysPage,
});
const WebhooksPage = late({
  page: 'webhooks',
  load: async () => (await import('./webhooks/webhooks-page.tsx')).WebhooksPage,
});
const WebhookPage = late({
  page: 'webhooks',
  load: async () => (await import('./webhooks/webhook-page.tsx')).WebhookPage,
});
const AdminPage = late({
  page: 'admin',
  load: async () => (await import('./admin/admin-page.tsx')).AdminPage,
});

export function App() {
  const { path, search } = useLocation();
  const { page } = routeOf(path);
  return (
    <TooltipProvider delayDuration={350}>
      {page === 'watch' && (
        // A viewer with a watch link has no key, so this page does not ask for one.
        <WatchPage />
      )}
      {page === 'shared-replay' && <SharedReplayPage />}
      {page === 'signed-in' && <SignedInPage search={search} />}
      {page !== 'watch' && page !== 'shared-replay' && page !== 'signed-in' && (
        <Account>
          <LiveUpdates>
            <WaitingForPhone>
              <CurrentPage />
              <WaitingBar />
              <PaletteHost />
            </WaitingForPhone>
          </LiveUpdates>
        </Account>
      )}
      <Toasts place={placeOfToasts(page)} />
    </TooltipProvider>
  );
}

function placeOfToasts(page: Route['page']) {
  if (page === 'session') return 'beside-phone';
  return page === 'wall' ? 'over-title' : 'over-page';
}

function CurrentPage() {
  const { path, search } = useLocation();
  const route = routeOf(path);
  if (route.page === 'session') {
    return <SessionPage key={route.sessionId} sessionId={route.sessionId} />;
  }
  if (route.page === 'replay') {
    return <ReplayPage key={route.sessionId} sessionId={route.sessionId} />;
  }
  if (route.page === 'wall') return <WallPage search={search} />;
  return (
    <Layout current={route.page}>
      {route.page === 'devices' && <DevicesPage />}
      {route.page === 'sessions' && <SessionsPage />}
      {route.page === 'session-details' && (
        <SessionDetailsPage key={route.sessionId} sessionId={route.sessionId} />
      )}
      {route.page === 'apps' && <AppsPage />}
      {route.page === 'usage' && <UsagePage />}
      {route.page === 'keys' && <KeysPage />}
      {route.page === 'webhooks' &&
        (route.webhookId === null ? (
          <WebhooksPage />
        ) : (
          <WebhookPage key={route.webhookId} webhookId={route.webhookId} />
        ))}
      {route.page === 'admin' && <AdminPage path={path} />}
      {route.page === 'not-found' && <NotFoundPage />}
    </Layout>
  );
}

function NotFoundPage() {
  usePageTitle(texts.notFound.title);
  return (
    <Message
      title={texts.notFound.title}
      isPage
      icon={<PhoneIcon className="size-6" />}
      action={
        <ButtonLink look="primary" href="/devices">
          {texts.notFound.action}
        </ButtonLink>
      }
    >
      {texts.notFound.text}
    </Message>
  );
}
