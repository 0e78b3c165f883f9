export interface Question {
  title: string;
  text: string;
  action: string; // what the button says
  isDangerous?: boolean;
  input?: { label: string; placeholder?: string; value?: string; isJson?: boolean; required?: boolean };
}

interface Asked extends Question {
  answer: (value: string | undefined) => void;
}

/** One question at a time, before anything that cannot be taken back. */
class Ask {
  current = $state<Asked | undefined>();

  /** What was typed ('' without an input), or nothing when it was declined. */
  question(question: Question): Promise<string | undefined> {
    return new Promise((resolve) => {
      this.current = { ...question, answer: (value) => ((this.current = undefined), resolve(value)) };
    });
  }

  async confirm(question: Question): Promise<boolean> {
    return (await this.question(question)) !== undefined;
  }
}

export const ask = new Ask();
