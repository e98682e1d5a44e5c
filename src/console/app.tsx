import { lazy, Suspense } from 'react';
import { Account } from './account/account.tsx';
import { SignedInPage } from './account/signed-in-page.tsx';
import { loadAdminPage } from './admin/load-admin-page.ts';
import { AppsPage } from './apps/apps-page.tsx';
import { LiveUpdates } from './data/live-updates.tsx';
import { DevicesPage } from './devices/devices-page.tsx';
import { PhoneIcon } from './icons.tsx';
import { loadKeysPage } from './keys/load-keys-page.ts';
import { Layout } from './layout/layout.tsx';
import { routeOf, useLocation } from './router.tsx';
import { loadSessionPage } from './session/load-session-page.ts';
import { loadWallPage } from './session/wall/load-wall-page.ts';
import { loadWatchPage } from './session/watch/load-watch-page.ts';
import { SessionsPage } from './sessions/sessions-page.tsx';
import { texts } from './texts.ts';
import { ButtonLink } from './ui/button.tsx';
import { Message } from './ui/message.tsx';
import { usePageTitle } from './ui/page-title.ts';
import { Toasts } from './ui/toasts.tsx';
import { TooltipProvider } from './ui/tooltip.tsx';
import { loadUsagePage } from './usage/load-usage-page.ts';
import { WaitingForPhone } from './waiting/waiting.tsx';
import { WaitingBar } from './waiting/waiting-bar.tsx';

const SessionPage = lazy(loadSessionPage);
const WallPage = lazy(loadWallPage);
const WatchPage = lazy(loadWatchPage);
const UsagePage = lazy(loadUsagePage);
const KeysPage = lazy(loadKeysPage);
const AdminPage = lazy(loadAdminPage);

export function App() {
  const { path, search } = useLocation();
  const { page } = routeOf(path);
  return (
    <TooltipProvider delayDuration={350}>
      {page === 'watch' && (
        // A link to watch is all that its holder has: no key is asked for.
        <Suspense fallback={null}>
          <WatchPage />
        </Suspense>
      )}
      {page === 'signed-in' && <SignedInPage search={search} />}
      {page !== 'watch' && page !== 'signed-in' && (
        <Account>
          <LiveUpdates>
            <WaitingForPhone>
              <CurrentPage />
              <WaitingBar />
            </WaitingForPhone>
          </LiveUpdates>
        </Account>
      )}
      <Toasts />
    </TooltipProvider>
  );
}

function CurrentPage() {
  const { path, search } = useLocation();
  const route = routeOf(path);
  if (route.page === 'session') {
    return (
      <Suspense fallback={null}>
        <SessionPage key={route.sessionId} sessionId={route.sessionId} />
      </Suspense>
    );
  }
  if (route.page === 'wall') {
    return (
      <Suspense fallback={null}>
        <WallPage search={search} />
      </Suspense>
    );
  }
  return (
    <Layout current={route.page}>
      {route.page === 'devices' && <DevicesPage />}
      {route.page === 'sessions' && <SessionsPage />}
      {route.page === 'apps' && <AppsPage />}
      <Suspense fallback={null}>
        {route.page === 'usage' && <UsagePage />}
        {route.page === 'keys' && <KeysPage />}
        {route.page === 'admin' && <AdminPage path={path} />}
      </Suspense>
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
