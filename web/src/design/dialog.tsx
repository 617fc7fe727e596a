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
  /** From the side of the screen, for menus and filters on a phone. */
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
          // React tells a portal's parents of it too: a form within is not the one around the button that opened this.
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

/** Who opens a form goes on typing: its first field has the focus, not the button that closes it. */
function beginAtField(event: Event): void {
  const field = (event.target as HTMLElement).querySelector<HTMLElement>('input, select, textarea')
  if (field === null) return
  event.preventDefault()
  field.focus()
}

interface ConfirmProps extends Omit<DialogProps, 'children' | 'isDrawer'> {
  /** What is typed to confirm, so that nothing is ended by a slip. */
  readonly word: string
  readonly action: string
  readonly isBusy: boolean
  readonly fault?: string | undefined
  readonly children?: ReactNode
  onConfirm(): void
}

/** For what cannot be taken back: the button works once the word is typed. */
export function ConfirmDialog({ word, action, isBusy, fault, children, onConfirm, ...dialog }: ConfirmProps) {
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
        {fault !== undefined && <Notice tone="bad">{fault}</Notice>}
        <div className="flex justify-end gap-2">
          <Button look="secondary" onClick={() => onOpen(false)}>
            Keep it
          </Button>
          <Button look="danger" type="submit" isBusy={isBusy} disabled={typed.trim() !== word}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
