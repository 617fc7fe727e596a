import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import '../design/design.css'

const root = document.getElementById('root')
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <main>
        <h1>Coffer</h1>
      </main>
    </StrictMode>,
  )
