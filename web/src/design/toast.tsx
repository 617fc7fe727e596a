import { CircleAlert, CircleCheck } from 'lucide-react'
import { Toast as Primitive } from 'radix-ui'
import { createContext, type ReactNode, useCallback, useContext, useState } from 'react'

interface Told {
  readonly id: number
  readonly text: string
  readonly isFault: boolean
}

type Tell = (text: string, options?: { readonly isFault?: boolean }) => void

const TellContext = createContext<Tell>(() => {})

/** Says that something was done, or was not, without taking anything away from the page. */
export function useToast(): Tell {
  return useContext(TellContext)
}

let toldSoFar = 0

export function ToastArea({ children }: { children: ReactNode }) {
  const [told, setTold] = useState<readonly Told[]>([])
  const tell = useCallback<Tell>((text, { isFault = false } = {}) => {
    toldSoFar += 1
    const id = toldSoFar
    setTold((before) => [...before.slice(-2), { id, text, isFault }])
  }, [])
  const forget = (id: number) => setTold((before) => before.filter((one) => one.id !== id))
  return (
    <TellContext value={tell}>
      <Primitive.Provider swipeDirection="right">
        {children}
        {told.map(({ id, text, isFault }) => {
          const Icon = isFault ? CircleAlert : CircleCheck
          return (
            <Primitive.Root
              key={id}
              // What went wrong takes longer to read, and is gone when it is.
              duration={isFault ? 12_000 : 5_000}
              onOpenChange={(isOpen) => !isOpen && forget(id)}
              className="flex items-start gap-2.5 rounded-xl border border-line bg-raised p-3 pr-4 shadow-pop"
            >
              <Icon aria-hidden className={`mt-px size-4.5 shrink-0 ${isFault ? 'text-bad' : 'text-good'}`} />
              <Primitive.Description>{text}</Primitive.Description>
            </Primitive.Root>
          )
        })}
        <Primitive.Viewport className="fixed right-4 bottom-20 z-[60] grid w-[min(24rem,calc(100vw-2rem))] gap-2 focus:outline-none md:bottom-4" />
      </Primitive.Provider>
    </TellContext>
  )
}
