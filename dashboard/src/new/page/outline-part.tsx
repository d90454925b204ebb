import { useMemo, useState } from 'react'
import type { Look } from '../../api/types.ts'
import controls from '../../style/controls.module.css'
import type { ChosenRule } from '../draft/draft.ts'
import style from '../new.module.css'
import { createFamily } from './family.ts'
import { Find } from './find.tsx'
import page from './page.module.css'
import { Tree } from './tree.tsx'

interface OutlinePartProps {
  readonly outline: NonNullable<Look['outline']>
  onChoose(chosen: ChosenRule): void
}

const TREE_HEIGHT = 440

/** JSON, a feed, other XML or a file as a tree to point into. */
export function OutlinePart({ outline, onChoose }: OutlinePartProps) {
  const { method, nodes, is_cut: isCut } = outline
  const how = { method, readsDocument: outline.read_as === 'document' }
  const family = useMemo(() => createFamily(nodes), [nodes])
  const [active, setActive] = useState<number | null>(null)
  const [chosen, setChosen] = useState<number | null>(null)
  const choose = (index: number) => {
    const node = nodes[index]
    setActive(index)
    setChosen(index)
    // An item of a list has a number for a name.
    if (node)
      onChoose({
        ...how,
        rule: node.rule,
        value: node.value,
        ...(/^\D/.test(node.name) && { name: node.name.slice(0, 60) }),
      })
  }
  const all = chosen === null ? null : (nodes[chosen]?.all ?? null)
  return (
    <div className={style['page']}>
      <Find
        family={family}
        count={nodes.length}
        textOf={(index) => `${nodes[index]?.name ?? ''} ${nodes[index]?.value ?? ''}`}
        nameOf={(index) => nodes[index]?.name ?? ''}
        onChoose={choose}
      />
      <p className={page['pointed']}>Choose the value that you want to watch.</p>
      <Tree
        label="The document"
        family={family}
        active={active}
        chosen={chosen}
        height={TREE_HEIGHT}
        node={(index) => ({ name: nodes[index]?.name ?? '', text: nodes[index]?.value ?? '' })}
        onGo={setActive}
        onChoose={choose}
      />
      {isCut && <p className={style['soft']}>The document is longer than this tree.</p>}
      {all !== null && (
        <p>
          <button
            type="button"
            className={controls['button']}
            onClick={() => onChoose({ ...how, rule: all, value: '', name: 'items' })}
          >
            All like this
          </button>
        </p>
      )}
    </div>
  )
}
