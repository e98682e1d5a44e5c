import { ANDROID_META, ANDROID_KEYS as KEYS } from '../../../contract/sockets/android-keys.ts';
import { type Rect, rect } from '../ui/geometry.ts';
import { Scroller } from '../ui/scroller.ts';
import { TextArea } from '../ui/text-area.ts';
import { TextField } from '../ui/text-field.ts';
import type { View } from '../ui/view.ts';
import type { App, AppHost, Area, KeyPress } from './app.ts';
import { backButton, iconButton } from './widgets.ts';

const CARD = 92;
const GAP = 12;
/** Maximum number of notes. */
const MAX_NOTES = 100;

interface Note {
  readonly id: number;
  readonly field: TextField;
  readonly area: TextArea;
}

/** A list of notes, and an editor for one of them. Empty notes are not kept. */
export class NotesApp implements App {
  readonly #host: AppHost;
  readonly #list: Scroller;
  #notes: Note[] = [];
  #open: Note | null = null;
  #nextId = 1;
  /** The bounds of the editor above the keyboard, which contain everything that changes with the text. */
  #written: Rect | null = null;

  constructor(host: AppHost) {
    this.#host = host;
    this.#list = new Scroller(host.animator, () => host.invalidate());
  }

  get field(): TextField | null {
    return this.#open?.field ?? null;
  }

  onBack(): boolean {
    if (!this.#open) return false;
    if (this.#open.field.text.trim() === '') this.#remove(this.#open);
    this.#open = null;
    this.#host.invalidate();
    return true;
  }

  onKey({ code, meta }: KeyPress): boolean {
    if (!this.#open || (code !== KEYS.DPAD_UP && code !== KEYS.DPAD_DOWN)) return false;
    this.#open.area.stepLine(code === KEYS.DPAD_UP ? -1 : 1, (meta & ANDROID_META.shift) !== 0);
    return true;
  }

  view(area: Area): View {
    return this.#open ? this.#editor(this.#open, area) : this.#overview(area);
  }

  #overview({ screen, safe }: Area): View {
    const { theme } = this.#host;
    const list = rect(safe.x + 16, safe.y + 84, safe.width - 32, screen.y + screen.height - safe.y - 84);
    this.#list.layout(list.height, this.#notes.length * (CARD + GAP) + 110);
    return {
      role: 'screen',
      id: 'notes-list',
      text: 'Notes',
      bounds: screen,
      draw: (painter) => {
        painter.fill(screen, theme.surfaceContainer);
        painter.text('Notes', safe.x + 24, safe.y + 54, { size: 28, color: theme.onSurface });
        if (this.#notes.length > 0) return;
        const middle = { x: safe.x + safe.width / 2, y: safe.y + safe.height / 2 };
        painter.icon('note', { x: middle.x, y: middle.y - 34 }, 52, theme.outlineVariant);
        painter.centred(
          'No notes yet',
          { x: middle.x, y: middle.y + 18 },
          { size: 16, color: theme.outline },
        );
      },
      children: [
        {
          role: 'list',
          id: 'notes',
          bounds: list,
          clip: true,
          drag: this.#list,
          children: this.#notes.map((note, index) =>
            this.#card(
              note,
              rect(list.x, list.y + index * (CARD + GAP) - this.#list.offset, list.width, CARD),
            ),
          ),
        },
        this.#newButton(rect(safe.x + safe.width - 80, safe.y + safe.height - 84, 60, 60)),
      ],
    };
  }

  #card(note: Note, bounds: Rect): View {
    const { theme } = this.#host;
    const [title = '', ...rest] = note.field.text.trim().split('\n');
    const preview = rest.find((line) => line.trim() !== '') ?? 'No further text';
    return {
      role: 'note',
      id: `note-${note.id}`,
      text: title,
      bounds,
      onTap: () => this.#edit(note),
      draw: (painter, { pressed }) => {
        const maxWidth = bounds.width - 40;
        painter.fill(bounds, pressed ? theme.primaryContainer : theme.paper, 18);
        painter.text(title, bounds.x + 20, bounds.y + 38, {
          size: 17,
          weight: 600,
          color: theme.onSurface,
          maxWidth,
        });
        painter.text(preview, bounds.x + 20, bounds.y + 65, {
          size: 14,
          color: theme.onSurfaceVariant,
          maxWidth,
        });
      },
    };
  }

  #newButton(bounds: Rect): View {
    const { theme } = this.#host;
    return {
      role: 'button',
      id: 'new-note',
      text: 'New note',
      bounds,
      onTap: () => this.#create(),
      draw: (painter, { pressed }) => {
        painter.fill(bounds, pressed ? theme.outlineVariant : theme.primaryContainer, 18);
        painter.icon('add', { x: bounds.x + 30, y: bounds.y + 30 }, 28, theme.onPrimaryContainer);
      },
    };
  }

  #editor(note: Note, { screen, safe }: Area): View {
    const { theme } = this.#host;
    const text = rect(safe.x + 24, safe.y + 60, safe.width - 48, safe.height - 64);
    this.#written = rect(screen.x, screen.y, screen.width, safe.y + safe.height);
    const tool = (id: string, label: string, icon: 'delete' | 'check', right: number, onTap: () => void) =>
      iconButton({
        id,
        text: label,
        icon,
        bounds: rect(safe.x + safe.width - right, safe.y + 8, 44, 44),
        color: theme.onSurface,
        pressedColor: theme.surfaceHigh,
        onTap,
      });
    return {
      role: 'screen',
      id: 'note-editor',
      bounds: screen,
      draw: (painter) => painter.fill(screen, theme.surface),
      children: [
        note.area.view(text, 'Write something'),
        backButton(rect(safe.x + 10, safe.y + 8, 44, 44), theme, () => this.onBack()),
        tool('delete-note', 'Delete', 'delete', 104, () => {
          this.#remove(note);
          this.#open = null;
        }),
        tool('done', 'Done', 'check', 54, () => this.onBack()),
        ...note.area.menu(text),
      ],
    };
  }

  #create(): void {
    if (this.#notes.length >= MAX_NOTES) {
      this.#host.toast(`There are ${MAX_NOTES} notes already`);
      return;
    }
    const host = this.#host;
    const field = new TextField({
      multiline: true,
      onChange: () => host.invalidate(this.#written ?? undefined),
    });
    const area = new TextArea({
      field,
      scroller: new Scroller(host.animator, () => host.invalidate()),
      theme: host.theme,
      size: 18,
      lineHeight: 28 * Math.max(1, host.settings.fontScale),
      clipboard: host.clipboard,
      measure: host.measure,
      onFocus: () => host.showKeyboard(),
    });
    const note = { id: this.#nextId++, field, area };
    this.#notes.unshift(note);
    this.#edit(note);
  }

  #edit(note: Note): void {
    this.#open = note;
    this.#host.showKeyboard();
    this.#host.invalidate();
  }

  #remove(note: Note): void {
    this.#notes = this.#notes.filter((kept) => kept !== note);
  }
}
