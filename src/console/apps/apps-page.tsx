import { useState } from 'react';
import type { App } from '../../contract/http/app.ts';
import { useApps } from '../data/app-queries.ts';
import { PackageIcon, UploadIcon } from '../icons.tsx';
import { texts } from '../texts.ts';
import { FileButton } from '../ui/file-button.tsx';
import { FileDrop } from '../ui/file-drop.tsx';
import { ListPage } from '../ui/listing.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { toast } from '../ui/toasts.tsx';
import { useAddress } from '../ui/use-address.ts';
import { APP_FILES } from './app-files.ts';
import { AppTable } from './app-table.tsx';
import { DeleteAppDialog } from './delete-app-dialog.tsx';
import { UploadList } from './upload-list.tsx';
import { type Uploads, useUploads } from './use-uploads.ts';

const text = texts.apps;

export function AppsPage() {
  const address = useAddress([]);
  const apps = useApps(address.page);
  const hasApps = apps.data !== undefined && apps.data.total > 0;
  const uploads = useUploads({ onUploaded: (app) => toast(text.done(app.name)), keepsFailures: true });
  const [leaving, setLeaving] = useState<App | null>(null);
  return (
    <div className="relative min-h-[65dvh]">
      <PageHeader title={text.title} detail={hasApps && text.count(apps.data.total)}>
        {hasApps && <UploadButton uploads={uploads} />}
      </PageHeader>
      <UploadList uploads={uploads} className="mb-4" />
      <Loaded query={apps}>
        {(list) => (
          <ListPage
            list={list}
            address={address}
            empty={{
              title: text.noneTitle,
              text: text.none,
              icon: <PackageIcon className="size-6" />,
              action: <UploadButton uploads={uploads} />,
            }}
          >
            {(rows) => <AppTable apps={rows} onDelete={setLeaving} />}
          </ListPage>
        )}
      </Loaded>
      {leaving && <DeleteAppDialog app={leaving} onClose={() => setLeaving(null)} />}
      <FileDrop title={text.drop} detail={text.dropDetail} onFiles={uploads.add} />
    </div>
  );
}

function UploadButton({ uploads }: { uploads: Uploads }) {
  return (
    <FileButton look="primary" accept={APP_FILES} multiple onFiles={uploads.add}>
      <UploadIcon />
      {text.upload}
    </FileButton>
  );
}
