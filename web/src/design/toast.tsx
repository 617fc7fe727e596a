import { CircleAlert, CircleCheck } from 'lucide-react'
import { Toast as Primitive } from 'radix-ui'
import { createContext, type ReactNode, useCallback, useContext, useState } from 'react'

interface ToastEntry {
  readonly id: number
  readonly text: string
  readonly isError: boolean
}

type ShowToast = (text: string, options?: { readonly isError?: boolean }) => void

const ToastContext = createContext<ShowToast>(() => {})

/** Returns a function that shows the result of an action in a message above the page. */
export function useToast(): ShowToast {
  return useContext(ToastContext)
}

let lastToastId = 0

export function ToastArea({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly ToastEntry[]>([])
  const showToast = useCallback<ShowToast>((text, { isError = false } = {}) => {
    lastToastId += 1
    const id = lastToastId
    setToasts((before) => [...before.slice(-2), { id, text, isError }])
  }, [])
  const forget = (id: number) => setToasts((before) => before.filter((one) => one.id !== id))
  return (
    <ToastContext value={showToast}>
      <Primitive.Provider swipeDirection="right">
        {children}
        {toasts.map(({ id, text, isError }) => {
          const Icon = isError ? CircleAlert : CircleCheck
          return (
            <Primitive.Root
              key={id}
              // Errors are shown for longer, because they take longer to read and cannot be shown again.
              duration={isError ? 12_000 : 5_000}
              onOpenChange={(isOpen) => !isOpen && forget(id)}
              className="flex items-start gap-2.5 rounded-xl border border-line bg-raised p-3 pr-4 shadow-pop"
            >
              <Icon aria-hidden className={`mt-px size-4.5 shrink-0 ${isError ? 'text-bad' : 'text-good'}`} />
              <Primitive.Description>{text}</Primitive.Description>
            </Primitive.Root>
          )
        })}
        <Primitive.Viewport className="fixed right-4 bottom-20 z-[60] grid w-[min(24rem,calc(100vw-2rem))] gap-2 focus:outline-none md:bottom-4" />
      </Primitive.Provider>
    </ToastContext>
  )
}
