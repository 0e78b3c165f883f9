interface Subject {
  place: string; // of the menu
  title: string;
}

/** What a page turned out to be about once it was read: a workflow and a promise have the address of a task. */
class Subjects {
  current = $state.raw<Subject | undefined>();

  /** To be called while a component is set up; forgotten when that goes. */
  follow(subject: () => Subject | undefined): void {
    $effect(() => {
      this.current = subject();
      return () => (this.current = undefined);
    });
  }
}

export const subjects = new Subjects();
