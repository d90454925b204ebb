import { Counter, Histogram, type Registry } from 'prom-client'

/** What questions report to the metrics. */
export interface PromptMetrics {
  /** `outcome`: values, cached, used_up, abandoned, or the code of the fault. */
  asked(outcome: string, durationMs: number): void
}

/** Prometheus metrics of the model. Labels are few and have a fixed set of values: never a prompt, a page or a team. */
export function createPromptMetrics(registry: Registry): PromptMetrics {
  const registers = [registry]
  const questions = new Counter({
    name: 'tidemark_prompt_questions_total',
    help: 'Questions to the model by outcome: values, cached, used_up, abandoned, or the code of the fault.',
    labelNames: ['outcome'],
    registers,
  })
  const duration = new Histogram({
    name: 'tidemark_prompt_answer_seconds',
    help: 'From the question to the usable answer of the model, retries and the repair try included.',
    buckets: [0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60],
    registers,
  })
  return {
    asked(outcome, ms) {
      questions.labels(outcome).inc()
      if (outcome === 'values') duration.observe(ms / 1000)
    },
  }
}
