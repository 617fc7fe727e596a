import {
  keepPreviousData,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import type { InputOf, OperationId, ReplyOf } from 'coffer-sdk'
import { useToast } from '../design/toast.tsx'
import { api, faultText } from './client.ts'
import { withProof } from './session/with-proof.ts'

interface Options {
  /** False while what it needs is not known. */
  readonly isWanted?: boolean
  /** Asks again and again, where no event tells of a change. */
  readonly everyMs?: number
  /** What is shown stays until the next page of it is there. */
  readonly keepsShown?: boolean
}

/** What a call of the SDK answers, asked again when it may have changed. */
export function useApi<O extends OperationId>(
  operation: O,
  input: InputOf<O>,
  { isWanted = true, everyMs, keepsShown = false }: Options = {},
): UseQueryResult<ReplyOf<O>, Error> {
  return useQuery<ReplyOf<O>>({
    queryKey: [operation, input],
    queryFn: ({ signal }) => callOf(operation)({ ...input, signal }),
    enabled: isWanted,
    ...(everyMs === undefined ? {} : { refetchInterval: everyMs }),
    ...(keepsShown ? { placeholderData: keepPreviousData } : {}),
  })
}

interface ActionOptions<T> {
  /** What is said when it is done; nothing where the page itself shows it. */
  readonly done?: string
  /** Faults are shown by the page: in a form, beside what they are about. */
  readonly showsFault?: boolean
  onDone?(answer: T): void
  onFault?(fault: Error): void
}

/** Something that changes the server; afterwards all that is shown is asked for anew. */
export function useAction<I, T>(
  run: (input: I) => Promise<T>,
  { done, showsFault = false, onDone, onFault }: ActionOptions<T> = {},
): UseMutationResult<T, Error, I> {
  const tell = useToast()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (input) => withProof(() => run(input)),
    onSuccess: async (answer) => {
      if (done !== undefined) tell(done)
      onDone?.(answer)
      await queries.invalidateQueries()
    },
    onError: (error) => {
      onFault?.(error)
      if (!showsFault) tell(faultText(error), { isFault: true })
    },
  })
}

interface Action {
  readonly isPending: boolean
  readonly error: Error | null
  mutate(input: undefined): void
}

/** What a dialog needs of the action that it has confirmed. */
export function confirmed(action: Action) {
  return {
    isBusy: action.isPending,
    fault: action.error === null ? undefined : faultText(action.error),
    onConfirm: () => action.mutate(undefined),
  }
}

type CallOf<O extends OperationId> = (input: InputOf<O>) => Promise<ReplyOf<O>>

/** A call by its name: what input it takes follows from the name, which the union of all calls cannot say. */
function callOf<O extends OperationId>(operation: O): CallOf<O> {
  return api[operation] as unknown as CallOf<O>
}
