// Names in the side bars break between their words: LeastSquares|Probabilistic|Classifier, rows.|decision_|function.
const SEAMS = /(?<=[a-z])(?=[A-Z])|(?<=[_.])(?=[a-z])/;

for (const link of document.querySelectorAll("#pst-primary-sidebar a, #pst-secondary-sidebar a")) {
  const texts = document.createTreeWalker(link, NodeFilter.SHOW_TEXT);
  const found = [];
  while (texts.nextNode()) found.push(texts.currentNode);
  for (const text of found) {
    const [first, ...others] = text.data.split(SEAMS);
    text.replaceWith(first, ...others.flatMap((word) => [document.createElement("wbr"), word]));
  }
}
