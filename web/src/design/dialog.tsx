import { X } from 'lucide-react'
import { Dialog as Primitive } from 'radix-ui'
import { type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import { classNames } from './class-names.ts'
import { TextField } from './field.tsx'
import { Notice } from './notice.tsx'

interface DialogProps {
  readonly isOpen: boolean
  onOpen(isOpen: boolean): void
  readonly title: string
  readonly description?: ReactNode
  readonly children?: ReactNode
  /** Whether the dialog opens from the side of the screen, as menus and filters on a phone do. */
  readonly isDrawer?: boolean
}

const middle =
  'left-1/2 top-[8dvh] w-[min(30rem,calc(100vw-2rem))] max-h-[84dvh] -translate-x-1/2 rounded-2xl border border-line'
const side = 'inset-y-0 left-0 w-[min(19rem,86vw)] border-r border-line'

export function Dialog({ isOpen, onOpen, title, description, children, isDrawer = false }: DialogProps) {
  return (
    <Primitive.Root open={isOpen} onOpenChange={onOpen}>
      <Primitive.Portal>
        <Primitive.Overlay className="fixed inset-0 z-40 bg-veil" />
        <Primitive.Content
          {...(description === undefined ? { 'aria-describedby': undefined } : {})}
          // React passes events of a portal on to its React parents. A form in the dialog must not submit a
          // form around the dialog.
          onSubmit={(event) => event.stopPropagation()}
          onOpenAutoFocus={beginAtField}
          className={classNames(
            'fixed z-50 overflow-y-auto bg-raised p-5 shadow-pop focus:outline-none',
            isDrawer ? side : middle,
          )}
        >
          <div className="flex items-start justify-between gap-4">
            <Primitive.Title className="text-base font-semibold">{title}</Primitive.Title>
            <Primitive.Close
              aria-label="Close"
              className="-m-1.5 rounded-lg p-1.5 text-ink-soft hover:bg-band hover:text-ink"
            >
              <X aria-hidden className="size-5" />
            </Primitive.Close>
          </div>
          {description !== undefined && (
            <Primitive.Description asChild>
              <div className="mt-2 text-ink-soft">{description}</div>
            </Primitive.Description>
          )}
          {children !== undefined && <div className="mt-4 grid gap-4">{children}</div>}
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  )
}

/** Focuses the first field of a dialog instead of its close button, so that the user can type at once. */
function beginAtField(event: Event): void {
  const field = (event.target as HTMLElement).querySelector<HTMLElement>('input, select, textarea')
  if (field === null) return
  event.preventDefault()
  field.focus()
}

interface ConfirmProps extends Omit<DialogProps, 'children' | 'isDrawer'> {
  /** The word that the user must type to confirm, so that nothing happens by accident. */
  readonly word: string
  readonly action: string
  /**
   * The label of the button that closes the dialog; "Cancel" by default. Set it if the action itself is a
   * cancellation.
   */
  readonly dismiss?: string
  readonly isBusy: boolean
  readonly error?: string | undefined
  readonly children?: ReactNode
  onConfirm(): void
}

/**
 * Asks for confirmation of an action that cannot be undone easily. The button is enabled only after the user
 * has typed the word.
 */
export function ConfirmDialog({
  word,
  action,
  dismiss = 'Cancel',
  isBusy,
  error,
  children,
  onConfirm,
  ...dialog
}: ConfirmProps) {
  const [typed, setTyped] = useState('')
  const onOpen = (isOpen: boolean) => {
    setTyped('')
    dialog.onOpen(isOpen)
  }
  return (
    <Dialog {...dialog} onOpen={onOpen}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          if (typed.trim() === word) onConfirm()
        }}
      >
        {children}
        <TextField
          label={`Type “${word}” to confirm`}
          value={typed}
          onValue={setTyped}
          autoComplete="off"
          spellCheck={false}
        />
        {error !== undefined && <Notice tone="bad">{error}</Notice>}
        <div className="flex justify-end gap-2">
          <Button variant="secondary" onClick={() => onOpen(false)}>
            {dismiss}
          </Button>
          <Button variant="danger" type="submit" isBusy={isBusy} disabled={typed.trim() !== word}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
