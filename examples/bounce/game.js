const canvas = document.querySelector("canvas");
const context = canvas.getContext("2d");
const { width, height } = canvas;
const paddle = { x: width / 2, y: height - 40, width: 96, height: 12 };
const keys = new Set();
let ball;
let score;
let best = Number(localStorage.getItem("best"));

function restart() {
  ball = { x: width / 2, y: 80, radius: 10, speedX: 160, speedY: 240 };
  score = 0;
}

addEventListener("keydown", ({ key }) => keys.add(key));
addEventListener("keyup", ({ key }) => keys.delete(key));
canvas.addEventListener("pointermove", ({ offsetX }) => {
  paddle.x = (offsetX * width) / canvas.clientWidth;
});

function move(seconds) {
  if (keys.has("ArrowLeft")) paddle.x -= 420 * seconds;
  if (keys.has("ArrowRight")) paddle.x += 420 * seconds;
  paddle.x = Math.min(Math.max(paddle.x, paddle.width / 2), width - paddle.width / 2);
  ball.x += ball.speedX * seconds;
  ball.y += ball.speedY * seconds;
  if (ball.x < ball.radius || ball.x > width - ball.radius)
    ball.speedX = Math.sign(width / 2 - ball.x) * Math.abs(ball.speedX);
  if (ball.y < ball.radius) ball.speedY = Math.abs(ball.speedY);
  const distance = ball.x - paddle.x;
  const isOverPaddle = Math.abs(distance) < paddle.width / 2 + ball.radius;
  if (isOverPaddle && ball.speedY > 0 && ball.y > paddle.y - ball.radius && ball.y < paddle.y + paddle.height) {
    ball.speedY = -ball.speedY * 1.04;
    ball.speedX = distance * 6;
    score += 1;
    best = Math.max(best, score);
    localStorage.setItem("best", String(best));
  }
  if (ball.y > height + ball.radius) restart();
}

function draw() {
  context.clearRect(0, 0, width, height);
  context.fillStyle = "#ffd166";
  context.beginPath();
  context.arc(ball.x, ball.y, ball.radius, 0, 2 * Math.PI);
  context.fill();
  context.fillStyle = "#4cc9f0";
  context.fillRect(paddle.x - paddle.width / 2, paddle.y, paddle.width, paddle.height);
  context.font = "24px system-ui, sans-serif";
  context.fillText(`${score}  best ${best}`, 20, 40);
}

let before = performance.now();
function frame(now) {
  move(Math.min((now - before) / 1_000, 0.05));
  before = now;
  draw();
  requestAnimationFrame(frame);
}

restart();
requestAnimationFrame(frame);
