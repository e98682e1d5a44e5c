import { useState } from 'react';
import type { App } from '../../contract/http/app.ts';
import type { Page } from '../../contract/http/page.ts';
import { useApps } from '../data/app-queries.ts';
import { PackageIcon, SearchIcon, UploadIcon } from '../icons.tsx';
import { navigate, useLocation } from '../router.tsx';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { FileButton } from '../ui/file-button.tsx';
import { FileDrop } from '../ui/file-drop.tsx';
import { ErrorMessage, ErrorNote, Message } from '../ui/message.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { Paging } from '../ui/paging.tsx';
import { toast } from '../ui/toasts.tsx';
import { APP_FILES } from './app-files.ts';
import { AppTable } from './app-table.tsx';
import { DeleteAppDialog } from './delete-app-dialog.tsx';
import { UploadList } from './upload-list.tsx';
import { type Uploads, useUploads } from './use-uploads.ts';

const text = texts.apps;

export function AppsPage() {
  const page = pageFrom(useLocation().search);
  const apps = useApps(page);
  const hasApps = apps.data !== undefined && apps.data.total > 0;
  const uploads = useUploads({ onUploaded: (app) => toast(text.done(app.name)), keepsFailures: true });
  return (
    <div className="relative min-h-[65dvh]">
      <PageHeader title={text.title} detail={hasApps && text.count(apps.data.total)}>
        {hasApps && <UploadButton uploads={uploads} />}
      </PageHeader>
      <UploadList uploads={uploads} className="mb-4" />
      {apps.data && <ErrorNote error={apps.error} />}
      {apps.data ? (
        <AppList apps={apps.data} uploads={uploads} />
      ) : (
        apps.error && <ErrorMessage error={apps.error} onRetry={() => void apps.refetch()} />
      )}
      <FileDrop title={text.drop} detail={text.dropDetail} onFiles={uploads.add} />
    </div>
  );
}

function pageFrom(search: string): number {
  const page = Number(new URLSearchParams(search).get('page') ?? 1);
  return Number.isSafeInteger(page) && page > 0 ? page : 1;
}

const showPage = (page: number) => navigate(page === 1 ? '/apps' : `/apps?page=${page}`);

function UploadButton({ uploads }: { uploads: Uploads }) {
  return (
    <FileButton look="primary" accept={APP_FILES} multiple onFiles={uploads.add}>
      <UploadIcon />
      {text.upload}
    </FileButton>
  );
}

function AppList({ apps, uploads }: { apps: Page<App>; uploads: Uploads }) {
  const [leaving, setLeaving] = useState<App | null>(null);
  return (
    <>
      {apps.items.length === 0 ? (
        <Nothing total={apps.total} uploads={uploads} />
      ) : (
        <AppTable apps={apps.items} onDelete={setLeaving} />
      )}
      <Paging page={apps.page} pageSize={apps.page_size} total={apps.total} onPage={showPage} />
      {leaving && <DeleteAppDialog app={leaving} onClose={() => setLeaving(null)} />}
    </>
  );
}

function Nothing({ total, uploads }: { total: number; uploads: Uploads }) {
  if (total > 0) {
    return (
      <Message
        title={text.pastEndTitle}
        icon={<SearchIcon className="size-6" />}
        action={<Button onClick={() => showPage(1)}>{text.firstPage}</Button>}
      >
        {text.pastEnd}
      </Message>
    );
  }
  return (
    <Message
      title={text.noneTitle}
      icon={<PackageIcon className="size-6" />}
      action={<UploadButton uploads={uploads} />}
    >
      {text.none}
    </Message>
  );
}
