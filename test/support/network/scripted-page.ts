import { type Answer, html } from './site.ts'

/** A page whose price, in `.price`, is written by a script a moment after it was loaded. */
export const scriptedPage = (price: string): Answer =>
  html(`<!doctype html><title>Shop</title><div id="root"></div>
    <script>
      setTimeout(() => { document.getElementById('root').innerHTML = '<b class="price">${price}</b>' }, 50)
    </script>`)
