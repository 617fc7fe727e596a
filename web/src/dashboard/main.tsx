import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { CofferError } from 'coffer-sdk'
import { setNonce } from 'get-nonce'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import '../design/design.css'
import { ToastArea } from '../design/toast.tsx'
import { router } from './routes.tsx'
import { ShownError } from './shown-error.ts'

const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce
if (nonce !== undefined) setNonce(nonce)

/** Errors that a page shows. Any other error of an action is a bug, which the page of errors shows. */
const shown = [CofferError, TypeError, ShownError]

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // The SDK already retries calls that may succeed later, so a failure is shown at once.
      retry: false,
      staleTime: 2_000,
      throwOnError: false,
    },
    mutations: { throwOnError: (error) => !shown.some((kind) => error instanceof kind) },
  },
})

const root = document.getElementById('root')
if (root === null) throw new Error('The page has no element with the id "root".')
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <ToastArea>
        <RouterProvider router={router} />
      </ToastArea>
    </QueryClientProvider>
  </StrictMode>,
)
