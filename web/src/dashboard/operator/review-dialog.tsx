import { type ReactNode, useState } from 'react'
import { Button } from '../../design/button.tsx'
import { ConfirmDialog, Dialog } from '../../design/dialog.tsx'
import { Notice } from '../../design/notice.tsx'
import { errorText, hasFieldErrors } from '../client.ts'

/** An action of `useAction`, for any type of response. */
interface Order {
  readonly isPending: boolean
  readonly error: Error | null
  reset(): void
  mutate(input: undefined, options: { onError(error: Error): void }): void
}

interface ReviewProps {
  readonly title: string
  readonly description?: ReactNode
  /** The fields of the first step. */
  readonly children: ReactNode
  /** The second step: all values as text. */
  readonly review: ReactNode
  /** The effect of the action, and whether it can be undone. */
  readonly consequence: ReactNode
  readonly word: string
  readonly action: string
  readonly order: Order
  /**
   * False if it is already known that the server would reject the action. The fields then show the reason.
   */
  readonly isPossible?: boolean
  onClose(): void
}

/**
 * Asks for the fields, then shows all values for review and asks the user to type a confirmation word. If the
 * server rejects a field, the dialog shows the fields again.
 */
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
        title="Review"
        description={consequence}
        word={word}
        action={action}
        isBusy={order.isPending}
        error={order.error === null ? undefined : errorText(order.error)}
        onConfirm={() =>
          order.mutate(undefined, {
            onError: (error) => {
              if (hasFieldErrors(error)) setReviewing(false)
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
        {order.error !== null && !hasFieldErrors(order.error) && (
          <Notice tone="bad">{errorText(order.error)}</Notice>
        )}
        <div className="flex justify-end gap-2">
          <Button variant="secondary" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" disabled={!isPossible}>
            Continue
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
