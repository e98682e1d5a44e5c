import type { App } from '../../contract/http/app.ts';
import { useDeleteApp } from '../data/app-queries.ts';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorNote } from '../ui/message.tsx';

const text = texts.apps;

export function DeleteAppDialog({ app, onClose }: { app: App; onClose(): void }) {
  const remove = useDeleteApp();
  return (
    <Dialog title={text.deleteTitle(app.name)} onClose={onClose}>
      <div className="space-y-5">
        <p className="text-soft">{text.deleteExplain(app.name, app.version)}</p>
        <ErrorNote error={remove.error} />
        <div className="flex justify-end gap-2">
          <Button look="quiet" onClick={onClose}>
            {text.keep}
          </Button>
          <Button
            look="danger"
            busy={remove.isPending}
            onClick={() => remove.mutate(app.id, { onSuccess: onClose })}
          >
            {text.delete}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
