import { Bookmark, X } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Button } from '../../design/button.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { TextField } from '../../design/field.tsx'
import type { InvoiceSearch } from './invoice-filters.ts'

export interface SavedView {
  readonly name: string
  readonly search: InvoiceSearch
}

const storageKey = 'coffer.invoice-views'

/** Returns the saved views. They are stored only in this browser and not on the server. */
function readViews(): readonly SavedView[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '[]')
    return Array.isArray(stored) ? stored.filter(isView) : []
  } catch {
    return []
  }
}

function isView(value: unknown): value is SavedView {
  return typeof value === 'object' && value !== null && 'name' in value && 'search' in value
}

const ready: readonly SavedView[] = [
  { name: 'All', search: {} },
  { name: 'Pending', search: { states: ['pending'] } },
  { name: 'Paid', search: { states: ['paid'] } },
  { name: 'Expired', search: { states: ['expired'] } },
]

interface ViewsProps {
  readonly search: InvoiceSearch
  onSearch(search: InvoiceSearch): void
}

export function SavedViews({ search, onSearch }: ViewsProps) {
  const [views, setViews] = useState(readViews)
  const [isNaming, setNaming] = useState(false)
  const keep = (next: readonly SavedView[]) => {
    localStorage.setItem(storageKey, JSON.stringify(next))
    setViews(next)
  }
  const { page: _, ...shown } = search
  const isShown = (view: SavedView) => JSON.stringify(view.search) === JSON.stringify(shown)
  const all = [...ready, ...views]
  return (
    <div className="flex flex-wrap items-center gap-1.5">
      {all.map((view) => (
        <span key={view.name} className="inline-flex items-center">
          <button
            type="button"
            aria-pressed={isShown(view)}
            onClick={() => onSearch(view.search)}
            className="min-h-8 rounded-full border border-line px-3 font-medium text-ink-soft hover:bg-band aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:text-accent-text"
          >
            {view.name}
          </button>
          {views.includes(view) && (
            <button
              type="button"
              aria-label={`Delete view ${view.name}`}
              onClick={() => keep(views.filter((one) => one !== view))}
              className="rounded-full p-1.5 text-ink-faint hover:bg-band hover:text-ink"
            >
              <X aria-hidden className="size-3.5" />
            </button>
          )}
        </span>
      ))}
      {!all.some(isShown) && (
        <Button variant="quiet" onClick={() => setNaming(true)}>
          <Bookmark aria-hidden /> Save view
        </Button>
      )}
      <NameDialog
        isOpen={isNaming}
        onOpen={setNaming}
        onName={(name) => {
          keep([...views.filter((view) => view.name !== name), { name, search: shown }])
          setNaming(false)
        }}
      />
    </div>
  )
}

function NameDialog({
  isOpen,
  onOpen,
  onName,
}: {
  isOpen: boolean
  onOpen(isOpen: boolean): void
  onName(name: string): void
}) {
  const [name, setName] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onName(name.trim())
    setName('')
  }
  return (
    <Dialog
      isOpen={isOpen}
      onOpen={onOpen}
      title="Save view"
      description="The view is stored in this browser only."
    >
      <form className="grid gap-4" onSubmit={submit}>
        <TextField label="Name" value={name} onValue={setName} maxLength={40} required />
        <div className="flex justify-end">
          <Button type="submit">Save</Button>
        </div>
      </form>
    </Dialog>
  )
}
