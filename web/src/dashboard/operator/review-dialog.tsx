import { type ReactNode, useState } from 'react'
import { Button } from '../../design/button.tsx'
import { ConfirmDialog, Dialog } from '../../design/dialog.tsx'
import { Notice } from '../../design/notice.tsx'
import { faultText, hasFieldFaults } from '../client.ts'

/** An action as `useAction` gives it, whatever it answers. */
interface Order {
  readonly isPending: boolean
  readonly error: Error | null
  reset(): void
  mutate(input: undefined, options: { onError(error: Error): void }): void
}

interface ReviewProps {
  readonly title: string
  readonly description?: ReactNode
  /** The fields, which are filled in first. */
  readonly children: ReactNode
  /** All of it once more, in words. */
  readonly review: ReactNode
  /** What it brings about, and whether it can be taken back. */
  readonly consequence: ReactNode
  readonly word: string
  readonly action: string
  readonly order: Order
  /** False where it is known to be refused, and the fields say why. */
  readonly isPossible?: boolean
  onClose(): void
}

/** First what is wanted, then all of it once more and a word to confirm it. A refusal of a field leads back to the field. */
export function ReviewDialog({
  children,
  review,
  consequence,
  word,
  action,
  order,
  isPossible = true,
  ...dialog
}: ReviewProps) {
  const [isReviewing, setReviewing] = useState(false)
  const { title, description, onClose } = dialog
  if (isReviewing)
    return (
      <ConfirmDialog
        isOpen
        onOpen={onClose}
        title="Look at it once more"
        description={consequence}
        word={word}
        action={action}
        isBusy={order.isPending}
        fault={order.error === null ? undefined : faultText(order.error)}
        onConfirm={() =>
          order.mutate(undefined, {
            onError: (error) => {
              if (hasFieldFaults(error)) setReviewing(false)
            },
          })
        }
      >
        {review}
      </ConfirmDialog>
    )
  return (
    <Dialog isOpen onOpen={onClose} title={title} {...(description === undefined ? {} : { description })}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          order.reset()
          setReviewing(true)
        }}
      >
        {children}
        {order.error !== null && !hasFieldFaults(order.error) && (
          <Notice tone="bad">{faultText(order.error)}</Notice>
        )}
        <div className="flex justify-end gap-2">
          <Button look="secondary" onClick={onClose}>
            Keep it as it is
          </Button>
          <Button type="submit" disabled={!isPossible}>
            Go on to the review
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
